// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPTestKit

@testable import WPHost

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct TextFileCollectorTests {
    @Test func readsTheFilesOfADirectoryInNameOrder() throws {
        let host = try TreeHost(.server)
        var collector = TextFileCollector(.with { $0.textFileDirectory = host.tree.textFiles + "/" })
        let (value, report) = host.run(&collector)
        let names = value?.files.map { $0.path.dropFirst(host.tree.textFiles.count + 1) }
        #expect(names == ["a.prom", "b.prom", "broken.prom", "dated.prom", "unended.prom"])
        #expect(value?.files.last?.content == Array("unended 1".utf8))
        #expect(value?.files.last.map { $0.modified > 1_600_000_000 && $0.modified == $0.modified.rounded() } == true)
        #expect(value?.hasFailures == false && report?.isSuccess == true)
    }

    @Test func skipsPipesDirectoriesAndOversizedFiles() throws {
        let host = try TreeHost()
        try #require(mkfifo(host.tree.root + "/pipe.prom", 0o600) == 0)
        try host.tree.directory("root/folder.prom")
        try host.tree.write(String(repeating: "#", count: TextFile.maximumSize + 1), "root/large.prom")
        try host.tree.write("", "root/none.prom")
        try host.tree.write("one 1\n", "root/one.prom")
        var collector = TextFileCollector(.with { $0.textFileDirectory = host.tree.root })
        let (value, report) = host.run(&collector)
        #expect(value?.files.map(\.content.count) == [0, 6])
        #expect(value?.hasFailures == true)
        #expect(report?.faults.count == 3)
        // A separate family reports this; the collector has not failed.
        #expect(report?.isSuccess == true)
    }

    @Test func reportsAnUnreadableDirectory() throws {
        let host = try TreeHost()
        var collector = TextFileCollector(.with { $0.textFileDirectory = host.tree.root + "/absent" })
        let (value, report) = host.run(&collector)
        #expect(value == TextFiles(files: [], hasFailures: true))
        #expect(report?.faults.first?.description == host.tree.root + "/absent: No such file or directory")
        var none = TextFileCollector(HostConfiguration())
        #expect(host.run(&none).value == TextFiles())
    }

    @Test func limitsTheNumberAndSizeOfFiles() throws {
        let host = try TreeHost()
        for index in 0...TextFileCollector.maximumFiles { try host.tree.write("", "root/\(index).prom") }
        var collector = TextFileCollector(.with { $0.textFileDirectory = host.tree.root })
        let (value, _) = host.run(&collector)
        #expect(value?.files.count == TextFileCollector.maximumFiles && value?.hasFailures == true)
        let large = try TreeHost()
        let count = TextFileCollector.maximumBytes / TextFile.maximumSize
        let text = String(repeating: "#", count: TextFile.maximumSize)
        for index in 0...count { try large.tree.write(text, "root/\(index).prom") }
        var other = TextFileCollector(.with { $0.textFileDirectory = large.tree.root })
        let bounded = large.run(&other).value
        #expect(bounded?.files.count == count && bounded?.hasFailures == true)
    }
}
