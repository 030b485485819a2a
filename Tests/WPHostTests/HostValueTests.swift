// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPCore
import WPMetrics
import WPTestKit

@testable import WPHost

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Text and numbers of the kernel, and the fields of a snapshot.
@Suite struct HostValueTests {
    private func scanned<Outcome>(_ text: String, _ body: (Bytes) -> Outcome) -> Outcome {
        Array(text.utf8).scanned(body)
    }

    // MARK: Text of the kernel

    @Test func splitsFieldsAtBlanks() {
        #expect(scanned(" a\t b\u{B}c\r\n") { $0.fields.map(\.string) } == ["a", "b", "c"])
        #expect(scanned("\u{8}a\u{E}b") { $0.fields.count } == 1)
        #expect(scanned("a\n\nb\n") { $0.lines.map(\.string) } == ["a", "b"])
        #expect(scanned(" \0a b\0 ") { $0.trimmed.string } == "a b")
        #expect(scanned(" \0") { $0.trimmed.isEmpty })
        scanned("ab: 7 x") { bytes in
            var scanner = ByteScanner(bytes)
            #expect(scanner.prefix(upTo: UInt8(ascii: "?")) == nil)
            #expect(scanner.prefix(upTo: UInt8(ascii: ":"))?.string == "ab")
            #expect(scanner.unsigned() == 7)
            #expect(scanner.unsigned() == nil && scanner.field() == nil && scanner.rest.isEmpty)
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("18446744073709551615", UInt64.max), ("18446744073709551616", nil),
            ("99999999999999999999", nil),
            ("", nil), ("-1", nil), ("+1", nil), ("1/", nil), ("1:", nil), ("09", 9),
        ] as [(String, UInt64?)]
    )
    func readsDecimalNumbers(_ text: String, _ value: UInt64?) {
        #expect(scanned(text) { $0.unsigned } == value)
    }

    @Test func readsOtherNumbers() {
        #expect(["ff", "FF", "+f", "g", ""].map { scanned($0) { $0.hexadecimal } } == [255, 255, nil, nil, nil])
        #expect(["1.5", "-2", "inf", "nan", "x"].map { scanned($0) { $0.decimal } } == [1.5, -2, nil, nil, nil])
        #expect(scanned(String(repeating: "1", count: 63)) { $0.decimal } != nil)
        #expect(scanned(String(repeating: "1", count: 64)) { $0.decimal } == nil)
        #expect(sum(UInt8(200), 55) == 255 && sum(UInt8(200), 56) == nil)
        #expect(product(UInt8(15), 17) == 255 && product(UInt8(16), 16) == nil)
    }

    @Test func comparesPrefixes() {
        scanned("abc") { bytes in
            #expect(bytes.hasPrefix("ab") && bytes.hasPrefix("abc") && bytes.hasPrefix(""))
            #expect(!bytes.hasPrefix("abcd") && !bytes.hasPrefix("b"))
            #expect(bytes.equals("abc") && !bytes.equals("ab") && !bytes.equals("abcd"))
            #expect(bytes.dropping(1).string == "bc" && bytes.dropping(9).isEmpty)
        }
        #expect(!Bytes(start: nil, count: 0).hasPrefix("a") && Bytes(start: nil, count: 0).hasPrefix(""))
    }

    @Test(
        arguments: [
            ([0x61, 0xC3, 0xA9], "aé"), ([0xFF, 0x61], "\\xffa"), ([0xC3], "\\xc3"), ([0x80, 0x41], "\\x80A"),
            ([0xE2, 0x82, 0xAC, 0xFE], "€\\xfe"), ([0xF0, 0x9F, 0x98, 0x80, 0xC0], "😀\\xc0"),
            ([0xDF, 0xBF, 0xFF], "\u{7FF}\\xff"), ([0xEF, 0xBF, 0xBF, 0xFF], "\u{FFFF}\\xff"),
            ([0xE0, 0xA0, 0x80, 0xFF], "\u{800}\\xff"), ([0x7F, 0xFF], "\u{7F}\\xff"), ([0xFF, 0x00], "\\xff\0"),
        ] as [([UInt8], String)]
    )
    func escapesInvalidBytes(_ bytes: [UInt8], _ text: String) {
        #expect(bytes.scanned { KernelText.string($0) } == text)
    }

    @Test func findsFilesByTheirEscapedNames() throws {
        let directory = try TemporaryDirectory()
        let name = Array((directory.path + "/a").utf8) + [0xFF, 0x0A, 0x62]
        let created = (name + [0]).withUnsafeBytes { raw in
            fopen(raw.baseAddress!.assumingMemoryBound(to: CChar.self), "w").map { fclose($0) } ?? -1
        }
        #expect(created == 0)
        let reader = FileReader(root: directory.path + "///")
        #expect(reader.root == directory.path && reader.path("") == directory.path)
        #expect(FileReader(root: "/").path("x") == "/x" && FileReader(root: "/").path("") == "/")
        let names = try reader.names(in: "")
        #expect(names == ["a\\xff\nb"])
        #expect(try reader.read(names[0]) { $0.count } == 0)
        for missing in ["a\\x", "a\\xf", "a\\xfg", "a\\x00", "b\\xff"] {
            let error = #expect(throws: HostFault.self) { try reader.read(missing) { $0.count } }
            #expect(error?.isAbsence == true)
        }
        #expect(throws: HostFault.self) { try reader.names(in: "missing") }
        try directory.write("", to: "second")
        try directory.write("", to: "third")
        #expect(try reader.names(in: "").count == 3)
        #expect(try reader.names(in: "", atMost: 2).count == 2)
        #expect(reader.canList && !FileReader(root: directory.path + "/missing").canList)
        #expect(reader.canRead("second") && !reader.canRead("missing"))
    }

    @Test func describesFaults() {
        func text(_ reason: HostFault.Reason) -> String { HostFault(reason, "/proc/x").description }
        #expect(text(.system(ENOENT)) == "/proc/x: No such file or directory")
        #expect(text(.malformed) == "/proc/x: malformed" && text(.tooLong) == "/proc/x: too long")
        #expect(text(.timedOut) == "/proc/x: no answer before the deadline")
        #expect(text(.stuck) == "/proc/x: skipped, because an earlier call has not returned")
        #expect(HostFault(.system(ENOTDIR), "").isAbsence && !HostFault(.system(EACCES), "").isAbsence)
        #expect(!HostFault(.malformed, "").isAbsence)
        #expect(HostFault.Reason.system(ENODATA).isUnsupported && !HostFault.Reason.system(EIO).isUnsupported)
        #expect(!HostFault.Reason.timedOut.isUnsupported)
    }

    // MARK: Snapshots

    @Test func writesEveryFieldOfASnapshot() async throws {
        let snapshot = NodeSnapshot(try await TreeHost.sample(.server), nodeName: "n")
        func json(_ value: some Encodable) throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        var process = try #require(snapshot.processes.first)
        var disk = snapshot.disks[0]
        // Of this machine.
        process.user = nil
        #expect(disk.total != nil && disk.used != nil && disk.available != nil && disk.usagePercent != nil)
        (disk.total, disk.used, disk.available, disk.usagePercent) = (nil, nil, nil, nil)
        #expect(
            try json(snapshot.cpu)
                == #"{"cores":64,"frequency":2000.0015,"load_1":12.34,"load_15":0.07,"load_5":5.6,"#
                + #""model":"Example 9000 Processor","threads":128}"#
        )
        #expect(
            try json(snapshot.memory)
                == #"{"available":409600000000,"buffers":1264193536,"cached":240197521408,"free":126419750912,"#
                + #""swap_free":8192000000,"swap_percent":4.632522884618227,"swap_total":8589930496,"#
                + #""swap_used":397930496,"total":540627169280,"usage_percent":24.236142155878003,"#
                + #""used":131027169280}"#
        )
        #expect(
            try json(disk)
                == #"{"device":"/dev/mapper/vg-root","fs_type":"xfs","io_util":0,"mount_point":"/","#
                + #""read_bytes":102456832,"read_iops":0,"read_rate":0,"write_bytes":102532608,"write_iops":0,"#
                + #""write_rate":0}"#
        )
        #expect(
            try json(snapshot.networks[0])
                == #"{"interface":"eth0","ip_address":"192.0.2.2","mac_address":"02:00:00:00:00:01","mtu":1500,"#
                + #""rx_bytes":1000000,"rx_dropped":1000003,"rx_errors":1000002,"rx_packets":1000001,"#
                + #""rx_packets_ps":0,"rx_rate":0,"speed":25000,"status":"up","tx_bytes":1000008,"#
                + #""tx_dropped":1000011,"tx_errors":1000010,"tx_packets":1000009,"tx_packets_ps":0,"tx_rate":0}"#
        )
        #expect(
            try json(process)
                == #"{"cmdline":"/bin/77 --token secret","cpu_percent":0,"mem_percent":0.189409644610305,"#
                + #""mem_rss":1024000000,"name":"a) R 9 (b","pid":77,"start_time":1760000050,"status":"S","#
                + #""threads":2}"#
        )
        let (down, temperature) = (snapshot.networks[1], try #require(snapshot.temperature))
        #expect(down.ipAddress == nil && down.speed == nil && down.status == "down" && down.sendDrops == 2_000_011)
        #expect(temperature.sensors.map(\.current) == [45, 44.5, 33.5, -5, 20, 21])
        #expect(temperature.sensors.map(\.name) == ["coretemp", "coretemp", "nct6775", "odd_name_1", "twin", "twin"])
        #expect(try json(temperature).hasPrefix(##"{"cpu_temp":45,"cpu_temp_max":82,"sensors":[{"critical":100,"##))
    }

    // MARK: Collectors

    @Test func samplesTheWholeMachineByDefault() {
        let configuration = HostConfiguration()
        #expect(configuration.procfs == "/proc" && configuration.sysfs == "/sys" && configuration.rootfs == "/")
        #expect(configuration.callDeadline == .milliseconds(500) && configuration.mountDeadline == .milliseconds(500))
        #expect(configuration.topProcesses == 10 && !configuration.includesCommandLines)
        #expect(configuration.collectors == HostCollectorName.defaults && configuration.textFileDirectory == nil)
        for pattern in [
            configuration.excludedTraffic, configuration.excludedInterfaces, configuration.excludedChips,
            configuration.includedMountPoints, configuration.includedDisks, configuration.includedSensors,
        ] {
            #expect(pattern == nil)
        }
    }

    @Test func namesTheRootsThatAreMissing() throws {
        let host = try TreeHost(.server)
        var configuration = host.configuration
        #expect(configuration.missingRoots == [])
        configuration.procfs = host.tree.root
        configuration.sysfs += "/missing"
        #expect(configuration.missingRoots == [.procfs, .sysfs])
        configuration.rootfs += "/missing"
        #expect(configuration.missingRoots == [.procfs, .sysfs, .rootfs])
    }

    @Test(
        arguments: [
            (nil, nil, "a", false), ("a", nil, "a", true), ("a", nil, "b", false), (nil, "a", "a", false),
            (nil, "a", "b", true), ("a", "a", "a", true), ("b", "a", "a", false),
        ] as [(String?, String?, String, Bool)]
    )
    func filtersNames(_ excluded: String?, _ included: String?, _ name: String, _ isFiltered: Bool) {
        let filter = NameFilter(
            excluded.map { NamePattern(known: $0) },
            included: included.map { NamePattern(known: $0) }
        )
        #expect(filter.matches(name) == isFiltered)
    }

    @Test func addsMetricsToFamilies() {
        var families = HostFamilies()
        #expect(families.isEmpty)
        families.add("a_total", "Help.", labels: ["x", "1"], 1)
        families.add("a_total", "Other.", labels: ["x", "2"], 2.5)
        families.add("b", "", nil as Double?)
        families.add("b", "", labels: ["0x", "1"], 1)
        families.add("b-c", "", 1)
        families.add("d", "", type: .counter, labels: ["x"], UInt64(4))
        #expect(families.families.map(\.name) == ["node_a_total", "node_d"])
        #expect(families.families.map(\.type) == [.counter, .counter] && families.families[0].help == "Help.")
        #expect(families.values == ["a_total x 1": 1, "a_total x 2": 2.5, "d": 4])
        var others = HostFamilies()
        let files = NumberFile.list(in: "dir", factor: 0.5, [("f", "_f", ""), ("g", "_g", "")])
        #expect(files.map(\.file) == ["dir/f", "dir/g"] && NumberFile("f", "", "").divisor == 1)
        others.add(files, prefix: "e", contents: ["6", "x"], labels: [])
        others.add([NumberFile("h", "_h", "", divisor: 10)], prefix: "e", contents: ["50"], labels: [])
        families.add(contentsOf: others)
        families.add("e_f", "", labels: ["x", "y"], 1)
        #expect(families.values == ["a_total x 1": 1, "a_total x 2": 2.5, "d": 4, "e_f": 3, "e_h": 5, "e_f x y": 1])
        #expect(families.families.map(\.type) == [.counter, .counter, .gauge, .gauge])
    }
}
