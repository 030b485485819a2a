// SPDX-License-Identifier: MIT

import Fixtures
import Synchronization
import Testing
import WPHost
import WPMetrics
import WPTestKit

@Suite struct TextFamiliesTests {
    /// The families of an agent with a directory of text files, and its reports.
    private final class Host: Sendable {
        let directory: TemporaryDirectory
        let tree: HostTree
        let sampler: HostSampler
        let collector: NodeMetricsCollector
        private let reported: FaultList

        init(_ fixture: HostFixture? = nil) throws {
            directory = try TemporaryDirectory()
            tree = try fixture?.write(to: directory.path) ?? HostTree(directory.path)
            try tree.directory("root/var/lib/texts")
            var configuration = HostConfiguration()
            configuration.procfs = tree.proc
            configuration.sysfs = tree.sys
            configuration.rootfs = tree.root
            configuration.textFileDirectory = tree.textFiles
            configuration.collectors = ["textfile", "loadavg"]
            let (sampler, reported) = (HostSampler(configuration), FaultList())
            (self.sampler, self.reported) = (sampler, reported)
            collector = NodeMetricsCollector(
                reserved: { ["process_open_fds"] },
                onTextFault: { reported.add($0) }
            ) { sampler.current }
        }

        func write(_ text: String, _ name: String) throws { try tree.write(text, "root/var/lib/texts/\(name).prom") }

        /// The lines of the exposition about text files and their content.
        func lines() async throws -> [Substring] {
            await sampler.sample()
            let registry = Registry()
            try registry.register(collector)
            let gathering = await registry.gather()
            #expect(gathering.failures.isEmpty, "\(gathering.failures)")
            let text = String(decoding: ExpositionFormat.text.encode(gathering.families), as: UTF8.self)
            return text.split(separator: "\n").filter { !$0.contains("node_scrape_") && !$0.contains("node_time_") }
        }

        /// The reports since the last call, without the directory.
        func faults() -> [String] { reported.take().map { String($0.description.dropFirst(tree.textFiles.count + 1)) } }
    }

    private final class FaultList: Sendable {
        private let faults = Mutex<[TextFileFault]>([])

        func add(_ fault: TextFileFault) { faults.withLock { $0.append(fault) } }

        func take() -> [TextFileFault] {
            faults.withLock { faults in
                defer { faults = [] }
                return faults
            }
        }
    }

    @Test func mergesFilesLikeNodeExporter() async throws {
        let host = try Host(.server)
        let lines = try await host.lines()
        for line in [
            "# HELP backup_age_seconds Age of the last backup.", #"backup_age_seconds{job="db"} 3600"#,
            #"backup_age_seconds{host="b",job="files"} 60"#, "runs_total 7", "took_seconds_sum 2.5",
            #"waited_seconds{quantile="0.5"} 0.25"#, #"plain{from="b"} 2"#, "node_textfile_scrape_error 1",
            "# HELP plain Metric read from \(host.tree.textFiles)/a.prom, \(host.tree.textFiles)/b.prom",
        ] { #expect(lines.contains { $0 == line }, "\(line)") }
        for text in ["good", "dated", "unended", "ignored", #"other="type""#] {
            #expect(!lines.contains { $0.hasPrefix(text) || $0.contains("{" + text) }, "\(text)")
        }
        let times = lines.filter { $0.hasPrefix("node_textfile_mtime_seconds{") }
        #expect(times.count == 2 && times[0].contains("/a.prom") && times[1].contains("/b.prom"))
        #expect(
            host.faults().map { $0.split(separator: ":")[0] } == [
                "b.prom", "broken.prom", "dated.prom", "unended.prom",
            ]
        )
    }

    @Test func reportsAFaultOnceAndAgainWhenItReturns() async throws {
        let host = try Host()
        try host.write("x 1\n", "good")
        try host.write("x\n", "bad")
        #expect(try await host.lines().contains("node_textfile_scrape_error 1"))
        #expect(host.faults().count == 1)
        _ = try await host.lines()
        #expect(host.faults().isEmpty)
        try host.write("y 1\n", "bad")
        #expect(try await host.lines().contains("node_textfile_scrape_error 0"))
        try host.write("y z\n", "bad")
        #expect(try await host.lines().contains("node_textfile_scrape_error 1"))
        #expect(host.faults().count == 1)
    }

    @Test func filesCannotUseNamesOfTheAgent() async throws {
        let host = try Host(.server)
        try host.tree.remove("root/var/lib/texts")
        let taken = [
            "process_open_fds", #"node_scrape_collector_success{collector="cpu"}"#, "winpower_node_pushes_total",
            "winpower_node_anything", "node_textfile_scrape_error", "node_load1",
        ]
        for (number, name) in taken.enumerated() { try host.write("\(name) 99\n", "\(number)") }
        let lines = try await host.lines()
        #expect(!lines.contains { $0.hasSuffix(" 99") })
        #expect(lines.contains("node_textfile_scrape_error 1"))
        let faults = host.faults()
        #expect(faults.count == taken.count && faults.allSatisfy { $0.hasSuffix("is a family of the agent") })
    }

    @Test func filesCannotUseNamesOfOtherFiles() async throws {
        let host = try Host(.server)
        try host.tree.remove("root/var/lib/texts")
        try host.write("# TYPE took summary\ntook_sum 1\ntook_count 2\n", "1")
        try host.write("# TYPE took_count gauge\ntook_count 3\n", "2")
        let lines = try await host.lines()
        #expect(lines.contains("took_count 2") && !lines.contains("took_count 3"))
        #expect(host.faults() == ["2.prom: took_count has a name that took of \(host.tree.textFiles)/1.prom uses"])
    }

    @Test(arguments: [ExpositionFormat.text, .openMetrics])
    func keepsNamesInEveryFormat(_ format: ExpositionFormat) async throws {
        let host = try Host()
        try host.write(
            "# TYPE backup_runs counter\nbackup_runs 3\n# TYPE kept_total counter\nkept_total 4\n# TYPE x_total gauge\nx_total 5\n",
            "1"
        )
        await host.sampler.sample()
        let text = String(decoding: format.encode(host.collector.collectNow()), as: UTF8.self)
        let lines = text.split(separator: "\n")
        for name in ["backup_runs", "kept_total", "x_total"] {
            #expect(lines.contains { $0.hasPrefix(name + " ") }, "\(name)")
        }
    }

    @Test func keepsTheFirstOfConflictingFamilies() async throws {
        let host = try Host(.server)
        try host.tree.remove("root/var/lib/texts")
        try host.write("# HELP a Help.\n# TYPE a gauge\na 1\na{x=\"1\"} 2\n", "1")
        try host.write("# HELP a Other.\n# TYPE a gauge\na{x=\"2\"} 3\n", "2")
        try host.write("# TYPE a gauge\na 9\na{x=\"3\"} 4\n", "3")
        try host.write("# TYPE node_load1 gauge\nnode_load1 99\n", "4")
        let lines = try await host.lines()
        #expect(
            lines.filter { $0.hasPrefix("a") || $0.hasPrefix("# HELP a ") }
                == ["# HELP a Help.", "a 1", #"a{x="1"} 2"#, #"a{x="3"} 4"#]
        )
        #expect(lines.contains("node_load1 12.34") && lines.contains("node_textfile_scrape_error 1"))
        #expect(
            host.faults() == [
                "2.prom: a has a different help text in \(host.tree.textFiles)/1.prom",
                "3.prom: a repeats labels of samples in \(host.tree.textFiles)/1.prom",
                "4.prom: node_load1 is a family of the agent",
            ]
        )
    }

    @Test func acceptsAMissingDirectorySetting() async throws {
        let sampler = HostSampler()
        await sampler.sample([.system])
        let families = NodeMetricsCollector { sampler.current }.collectNow()
        let error = families.first { $0.name == "node_textfile_scrape_error" }
        #expect(error?.metrics.first?.value == .value(0))
        #expect(!families.contains { $0.name == "node_textfile_mtime_seconds" })
    }
}
