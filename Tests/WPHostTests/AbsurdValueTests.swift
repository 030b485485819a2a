// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPCore
@testable import WPHost

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Unexpected names and numbers from the kernel.
struct AbsurdValueTests {
    /// Names that Swift considers equal, or that are not UTF-8, as bytes.
    private static let names: [[UInt8]] = [
        Array("v".utf8) + [0xFF], Array("v".utf8) + [0xFE], Array("e\u{301}0".utf8), Array("\u{E9}0".utf8),
    ]

    private static func call(_ path: String, _ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
        let bytes = (Array((path + "/").utf8) + name + [0]).map { CChar(bitPattern: $0) }
        return bytes.withUnsafeBufferPointer { $0.baseAddress.map(body) ?? -1 }
    }

    private static func write(_ bytes: [UInt8], _ path: String, _ name: [UInt8]) throws {
        let descriptor = call(path, name) { open($0, O_WRONLY | O_CREAT | O_TRUNC, 0o600) }
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(writeAll(descriptor, bytes, bytes.count) == bytes.count)
    }

    @Test func distinguishesInterfacesWithCanonicallyEquivalentNames() throws {
        let host = try TreeHost()
        let directory = host.tree.sys + "/class/net"
        try host.tree.directory("sys/class/net")
        for (index, name) in Self.names.enumerated() {
            try #require(Self.call(directory, name) { mkdir($0, 0o700) } == 0)
            try Self.write(Array("\(1000 + index)\n".utf8), directory, name + Array("/mtu".utf8))
        }
        var collector = NetclassCollector(HostConfiguration())
        let interfaces = try #require(host.run(&collector).value)
        #expect(Set(interfaces.map { ExactText($0.device) }).count == 4)
        #expect(interfaces.contains { $0.device == #"v\xff"# && $0[.mtu] == 1000 })
        #expect(interfaces.contains { $0.device == #"v\xfe"# && $0[.mtu] == 1001 })
        #expect(Set(interfaces.compactMap { $0[.mtu] }) == [1000, 1001, 1002, 1003])
    }

    @Test func separatesTrafficOfCanonicallyEquivalentInterfaces() throws {
        let host = try TreeHost()
        try host.tree.directory("proc/net")
        var collector = NetdevCollector(HostConfiguration())
        for round in 0..<2 {
            var bytes = Array("Inter-|\n face |\n".utf8)
            for (index, name) in Self.names.enumerated() {
                let counters = (0..<16).map { "\(1000 * (index + 1) * round + $0)" }.joined(separator: " ")
                bytes += name + Array(": \(counters)\n".utf8)
            }
            try Self.write(bytes, host.tree.proc + "/net", Array("dev".utf8))
            let traffic = try #require(host.run(&collector).value)
            #expect(traffic.count == 4)
            if round == 1 { #expect(traffic.map { $0.rates?.received } == [1000, 2000, 3000, 4000]) }
            host.advance(.seconds(1))
        }
    }

    @Test func distinguishesCanonicallyEquivalentMountPoints() throws {
        let host = try TreeHost()
        try host.tree.directory("proc/1")
        var bytes: [UInt8] = []
        for name in Self.names {
            try #require(Self.call(host.tree.root, name) { mkdir($0, 0o700) } == 0)
            bytes += Array("30 1 8:1 / /".utf8) + name + Array(" rw - ext4 /dev/sda1 rw\n".utf8)
        }
        try Self.write(bytes, host.tree.proc + "/1", Array("mountinfo".utf8))
        var collector = FilesystemCollector(HostConfiguration())
        let found = try #require(host.run(&collector).value)
        #expect(found.count == 4)
        #expect(found.allSatisfy { $0.space != nil })
    }

    @Test(arguments: [UInt64.max, UInt64.max / 2 + 1, UInt64(0)])
    func acceptsAnySizeOfAFUSEFileSystem(_ number: UInt64) throws {
        let space = FilesystemSpace(
            blockSize: number == 0 ? 0 : 1,
            blocks: number,
            freeBlocks: 0,
            availableBlocks: number,
            files: number,
            freeFiles: 0
        )
        let filesystem = FilesystemSample(
            device: "sshfs",
            mountPoint: "/srv",
            type: "fuse.sshfs",
            isReadOnly: false,
            major: 0,
            minor: number,
            space: space
        )
        var sample = HostSample()
        sample[FilesystemCollector.self] = [filesystem]
        let disk = try #require(NodeSnapshot(sample, nodeName: "n").disks.first)
        #expect(disk.usagePercent == (number == 0 ? nil : 50))
        #expect(disk.total == number)
        let huge = FilesystemSpace(
            blockSize: 2,
            blocks: number,
            freeBlocks: 0,
            availableBlocks: number,
            files: 0,
            freeFiles: 0
        )
        sample[FilesystemCollector.self] = [
            FilesystemSample(
                device: "/dev/x",
                mountPoint: "/",
                type: "x",
                isReadOnly: false,
                major: 0,
                minor: 0,
                space: huge
            )
        ]
        // An overflow makes the total unknown, rather than wrapping around.
        #expect(NodeSnapshot(sample, nodeName: "n").disks.first?.total == (number == 0 ? 0 : nil))
    }

    @Test func acceptsAnyNumbersOfProcesses() throws {
        let host = try TreeHost()
        let most = "18446744073709551615"
        func stat(_ pid: Int, ticks: String, start: String, pages: String) throws {
            let rest =
                Array(repeating: "0", count: 10) + [ticks, "0", "0", "0", "20", "0", "1", "0", start, "1", pages]
            try host.tree.write("\(pid) (x) S \(rest.joined(separator: " ")) 0 0\n", "proc/\(pid)/stat")
        }
        try stat(1, ticks: most, start: most, pages: most)
        try stat(2, ticks: most + "0", start: "1", pages: "1")
        try host.tree.write("btime \(most)\n", "proc/stat")
        var collector = ProcessesCollector(.with { ($0.topProcesses, $0.includesCommandLines) = (5, false) })
        let (table, report) = host.run(&collector)
        #expect(table?.busiest.map(\.pid) == [1])
        #expect(table?.busiest.first?.residentBytes == nil)
        #expect(report?.faults.map(\.reason) == [.malformed])
        var sample = HostSample()
        sample[ProcessesCollector.self] = table
        #expect(NodeSnapshot(sample, nodeName: "n").processes.first?.startTime == nil)
    }

    @Test func acceptsAnyProcessorTimesAndMemory() throws {
        let host = try TreeHost()
        let most = "18446744073709551615"
        var collector = CPUCollector()
        for idle in [most, "0", most, "5"] {
            try host.tree.write("cpu  1 1 1 \(idle) 1 1 1 1 1 1\ncpu0 1 1 1 \(idle)\n", "proc/stat")
            let usage = host.run(&collector).value?.usage
            #expect(usage.map { (0...100).contains($0.idle) } ?? true)
        }
        try host.tree.write(
            "MemTotal: 1 kB\nMemFree: 18014398509481983 kB\nCached: 18014398509481983 kB\n",
            "proc/meminfo"
        )
        let sample = try #require(host.run(MeminfoCollector.self).value)
        #expect(sample.available == nil && sample.used == nil)
    }

    @Test func kernelNamesRoundTripAsText() {
        let cases: [([UInt8], String)] = [
            (Array("eth0".utf8), "eth0"), ([0xFF], #"\xff"#), ([0x61, 0xC3], #"a\xc3"#),
            ([0xC3, 0xA9, 0xC3], #"é\xc3"#), ([0xE2, 0x82, 0x41], #"\xe2\x82A"#), ([0x05, 0x80], "\u{5}\\x80"),
        ]
        for (bytes, text) in cases { #expect(bytes.scanned { $0.string } == text) }
    }
}

/// write(2), under a name that no method of a test type hides.
private func writeAll(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Int { write(descriptor, bytes, count) }
