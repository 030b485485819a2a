// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPModel
import WPTestKit

@testable import WPStorage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StateFile {
    /// A header line with its checksum, from the text before it.
    static func line(_ text: String) -> String {
        text + #","head_crc32":"\#(CRC32.hex(Array(text.utf8)[...]))"}"# + "\n"
    }

    /// A file with valid checksums and any content.
    static func file(records: Int, generation: Int = 1, body: String) -> [UInt8] {
        let bytes = Array(body.utf8)
        var size = 0
        while true {
            let header = line(
                #"{"format":"\#(format)","version":1,"generation":\#(generation),"file_bytes":\#(size),"#
                    + #""records":\#(records),"body_bytes":\#(bytes.count),"body_crc32":"\#(CRC32.hex(bytes[...]))""#
            )
            let file = Array(header.utf8) + bytes
            if file.count == size { return file }
            size = file.count
        }
    }
}

extension StateFile.Flaw {
    fileprivate var isDamage: Bool {
        if case .damaged = self { true } else { false }
    }
}

@Suite(.serialized) struct StateFileTests {
    private let directory = "data"

    /// Every offset in a file's content, and some of the uniform padding.
    private static func offsets(in bytes: [UInt8]) -> [Int] {
        let padding = bytes.dropLast().lastIndex { $0 != UInt8(ascii: " ") } ?? 0
        return bytes.indices.filter { $0 <= padding + 2 || $0 % 128 == 0 || $0 == bytes.count - 1 }
    }

    @Test func theChecksumMatchesTheStandard() {
        #expect(CRC32.hex(Array("123456789".utf8)[...]) == "cbf43926")
        #expect(CRC32.hex([]) == "00000000")
        #expect(CRC32.hex(Array("x123456789x".utf8)[1...9]) == "cbf43926")
    }

    /// The range of a 64-bit count of nanoseconds.
    @Test(
        arguments: [
            (0, 0), (1_750_000_000.25, 1_750_000_000_250_000_000), (-0.5, -500_000_000),
            (9_223_372_036.75, 9_223_372_036_750_000_000), (9_223_372_037, nil), (9_223_372_036.9375, nil),
            (1e10, nil), (-1e10, nil), (9_223_372_036_854_774_784, nil), (1e300, nil), (.infinity, nil), (.nan, nil),
        ] as [(Double, Int64?)]
    )
    func convertsATimeToNanoseconds(_ seconds: Double, _ nanoseconds: Int64?) {
        #expect(UnixNanoseconds.from(Date(timeIntervalSince1970: seconds)) == nanoseconds)
        if let nanoseconds {
            #expect(UnixNanoseconds.date(nanoseconds) == Date(timeIntervalSince1970: seconds))
        }
    }

    @Test func theFormatMatchesTheDocument() {
        let state = StateFile(
            generation: 42,
            records: [
                EnergyRecord(
                    key: EnergyKey(device: DeviceID("ups \"1\"\n")),
                    total: EnergyTotal(joules: 975, meteredSeconds: 5, gapSeconds: 0.25, unverifiedSeconds: 1.5),
                    compensationJoules: 1e-14,
                    lastSample: .init(wall: UnixNanoseconds.date(1_750_000_000_250_000_000), watts: 195.5),
                    name: "Rack \"1\"",
                    typeCode: 1
                ),
                EnergyRecord(
                    key: EnergyKey(source: SourceID(rawValue: "east"), device: DeviceID("b")),
                    total: EnergyTotal()
                ),
            ]
        )
        let text = String(decoding: state.encoded(filling: 445), as: UTF8.self)
        let expected = """
            {"format":"winpower-exporter energy","version":1,"generation":42,"file_bytes":445,"columns":["source","device","joules",\
            "compensation_joules","metered_seconds","gap_seconds","last_unix_ns","last_watts","unverified_seconds","name","type_code"],\
            "records":2,\
            "body_bytes":124,"body_crc32":"dd26c9ee","head_crc32":"7469b929"}
            ["","ups \\"1\\"\\n",975,1e-14,5,0.25,1750000000250000000,195.5,1.5,"Rack \\"1\\"",1]
            ["east","b",0,0,0,0,null,null,0,null,null]

            """
        #expect(text == expected)
    }

    @Test func theExampleInTheDocumentIsValid() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let document = String(
            decoding: try Data(contentsOf: root.appending(path: "docs/storage-format.md")),
            as: UTF8.self
        )
        let example = try #require(document.split(separator: "```\n").first { $0.hasPrefix("{") })
        let state = try StateFile(decoding: Array(example.utf8))
        #expect(state.generation == 42)
        #expect(state.records.map(\.total.joules) == [6_149_520_000])
        #expect(state.encoded(filling: example.utf8.count) == Array(example.utf8))
    }

    /// Files of versions before 0.1.0, and of later programs with the same format version.
    @Test(
        arguments: [
            (#"["","a",975,1e-14,5,0.25,1750000000250000000,195.5]"#, 0, nil, nil),
            (#"["","a",975,1e-14,5,0.25,1750000000250000000,195.5,7]"#, 7, nil, nil),
            (#"["","a",975,1e-14,5,0.25,1750000000250000000,195.5,7,"x"]"#, 7, "x", nil),
            (#"["","a",975,1e-14,5,0.25,1750000000250000000,195.5,7,"x",1,{"more":[true]},null]"#, 7, "x", 1),
        ] as [(String, Double, String?, Int?)]
    )
    func readsLinesWithFewerOrMoreColumns(
        _ line: String,
        unverified: Double,
        name: String?,
        typeCode: Int?
    ) throws {
        let state = try StateFile(decoding: StateFile.file(records: 1, body: line + "\n"))
        let expected = EnergyRecord(
            key: EnergyKey(device: DeviceID("a")),
            total: EnergyTotal(joules: 975, meteredSeconds: 5, gapSeconds: 0.25, unverifiedSeconds: unverified),
            compensationJoules: 1e-14,
            lastSample: .init(wall: UnixNanoseconds.date(1_750_000_000_250_000_000), watts: 195.5),
            name: name,
            typeCode: typeCode
        )
        #expect(state.records == [expected])
    }

    @Test func detectsAnyFlippedBit() throws {
        let bytes = StateFile(generation: 7, records: Records.state(5)).encoded()
        for index in Self.offsets(in: bytes) {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                let flaw = #expect(throws: StateFile.Flaw.self, "byte \(index), bit \(bit)") {
                    try StateFile(decoding: damaged)
                }
                // A flipped version number must not look like a newer version.
                #expect(flaw?.isDamage == true)
            }
        }
    }

    @Test func detectsAnyTruncation() {
        let bytes = StateFile(generation: 7, records: Records.state(5)).encoded()
        for length in Self.offsets(in: bytes) {
            #expect(throws: StateFile.Flaw.self) { try StateFile(decoding: Array(bytes[..<length])) }
        }
        let flaw = #expect(throws: StateFile.Flaw.self) { try StateFile(decoding: bytes + [0]) }
        #expect(flaw?.finding.contains("bytes instead of") == true)
        #expect(throws: StateFile.Flaw.self) { try StateFile(decoding: bytes + bytes) }
    }

    @Test(arguments: [(4095, false), (4096, true)])
    func rejectsAHeaderLineOfMoreThanFourKilobytes(_ length: Int, _ isTooLong: Bool) {
        let bytes = Array(repeating: UInt8(ascii: " "), count: length) + [UInt8(ascii: "\n")]
        let flaw = #expect(throws: StateFile.Flaw.self) { try StateFile(decoding: bytes) }
        #expect((flaw == .damaged("has no complete header line")) == isTooLong)
    }

    @Test(arguments: [0, 1, 9, 30, 300, 3000])
    func reservesSpaceUpToAPageBoundary(_ devices: Int) throws {
        let state = StateFile(generation: 7, records: Records.state(5, devices: devices))
        let bytes = state.encoded()
        #expect(bytes.count % StateFile.pageSize == 0)
        #expect(try StateFile(decoding: bytes) == state)
        var longer = state
        for index in longer.records.indices { longer.records[index].total.gapSeconds += 0.125 }
        longer.generation += 1_000_000
        #expect(longer.encoded(filling: bytes.count).count == bytes.count)
        #expect(try StateFile(decoding: longer.encoded(filling: bytes.count)) == longer)
        // The size changes if the state does not fit or leaves the file mostly empty.
        #expect(state.encoded(filling: 100) == bytes)
        #expect(state.encoded(filling: 3 * bytes.count) == bytes)
        // Keeps up to twice the size, because removed records may return.
        #expect(state.encoded(filling: 2 * bytes.count).count == 2 * bytes.count)
    }

    /// Damage with valid checksums, by a faulty writer or manual editing.
    @Test(arguments: [
        #"["","a",1,0,1,0,null]"#, #"["","a",1,0,1,0]"#, #"[]"#, #"{}"#, #"null"#, #""#, #"["","a",1,0,1,0,null,null"#,
        #"["","a",-1,0,1,0,null,null]"#, #"["","a",1e999,0,1,0,null,null]"#, #"["","a",nan,0,1,0,null,null]"#,
        #"["","a","1",0,1,0,null,null]"#, #"["","a",null,0,1,0,null,null]"#, #"["","a",1,5,1,0,null,null]"#,
        #"["","a",1,0,-1,0,null,null]"#, #"["","a",1,0,1,-1,null,null]"#, #"[1,"a",1,0,1,0,null,null]"#,
        #"["","a",1,0,1,0,1.5,null]"#, #"["","a",1,0,1,0,9223372036854775807,1]"#,
        #"["","a",1,0,1,0,-9223372036854775808,1]"#, #"["","a",1,0,1,0,99999999999999999999,1]"#,
        #"["","a",1,0,1,0,1,-5]"#, #"["","a",1,0,1,0,1,5,-1]"#, #"["","a",1,0,1,0,1,5,null]"#,
        #"["","a",1,0,1,0,1,5,0,1]"#, #"["","a",1,0,1,0,1,5,0,null,"1"]"#, #"["","\ud800",1,0,1,0,null,null]"#,
        "[[[[[[[[[[[[[[[[",
    ])
    func detectsAnInvalidRecord(_ line: String) {
        let good = #"["","z",1,0,1,0,null,null]"#
        let bytes = StateFile.file(records: 2, body: "\(good)\n\(line)\n")
        let flaw = #expect(throws: StateFile.Flaw.self) { try StateFile(decoding: bytes) }
        #expect(flaw?.finding.contains("line 3") == true)
    }

    @Test func detectsADuplicateDeviceOrAWrongCount() {
        let line = #"["","z",1,0,1,0,null,null]"# + "\n"
        #expect(throws: StateFile.Flaw.self) { try StateFile(decoding: StateFile.file(records: 2, body: line + line)) }
        #expect(throws: StateFile.Flaw.self) { try StateFile(decoding: StateFile.file(records: 2, body: line)) }
        #expect(throws: StateFile.Flaw.self) { try StateFile(decoding: StateFile.file(records: 0, body: line)) }
        #expect(throws: StateFile.Flaw.self) {
            try StateFile(decoding: StateFile.file(records: 1, body: String(line.dropLast())))
        }
        #expect(throws: Never.self) { try StateFile(decoding: StateFile.file(records: 1, body: line)) }
    }

    @Test(arguments: [
        #"{"format":"winpower-exporter energy","version":0"#, #"{"format":"winpower-exporter energy","version":-3"#,
        #"{"format":"something else","version":2"#, #"{"version":1"#, #"{"format":"winpower-exporter energy""#,
        #"{"format":"winpower-exporter energy","version":1"#, #"{"format":"winpower-exporter energy","version":1.5"#,
        #"{"format":"winpower-exporter energy","version":99999999999999999999"#, "[", "",
    ])
    func detectsAnInvalidHeader(_ text: String) {
        let flaw = #expect(throws: StateFile.Flaw.self) {
            try StateFile(decoding: Array(StateFile.line(text).utf8))
        }
        #expect(flaw?.isDamage == true)
    }

    @Test(arguments: [
        ("-1", "0", "0", #""00000000""#), ("1", "-1", "0", #""00000000""#), ("1", "0", "-1", #""00000000""#),
        ("1", "0", "0", "0"), ("null", "0", "0", #""00000000""#),
    ])
    func detectsAnInvalidValueInTheHeader(generation: String, records: String, bytes: String, checksum: String) {
        let text =
            #"{"format":"winpower-exporter energy","version":1,"generation":\#(generation),"file_bytes":300,"#
            + #""records":\#(records),"body_bytes":\#(bytes),"body_crc32":\#(checksum)"#
        #expect(throws: StateFile.Flaw.damaged("has a header that lacks a value")) {
            try StateFile(decoding: Array(StateFile.line(text).utf8))
        }
    }

    @Test func readsAnEmptyState() throws {
        let state = try StateFile(decoding: StateFile.file(records: 0, generation: 0, body: ""))
        #expect(state == StateFile(generation: 0, records: []))
    }

    @Test func limitsTheSearchForTheEndOfTheHeader() {
        let bytes = [UInt8](repeating: UInt8(ascii: " "), count: 100_000) + [UInt8(ascii: "\n")]
        #expect(throws: StateFile.Flaw.damaged("has no complete header line")) { try StateFile(decoding: bytes) }
    }

    @Test func distinguishesANewerVersionFromDamage() {
        let text = StateFile.line(#"{"format":"winpower-exporter energy","version":2,"other":true"#)
        #expect(throws: StateFile.Flaw.newer(version: 2)) { try StateFile(decoding: Array(text.utf8)) }
    }

    /// The same damage at the level of the store: it opens with a saved state, reports the damage, and keeps the
    /// damaged file.
    @Test func survivesAnyTruncationOrFlippedByteOfTheCurrentFile() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try await FileEnergyStore.open(
            .init(directory: directory),
            fileSystem: fileSystem,
            logger: .silent
        )
        try await store.save(Records.state(1, devices: 2))
        try await store.save(Records.state(2, devices: 2))
        await store.close()
        let files = fileSystem.files
        let current = try #require(files["data/energy.b.jsonl"])

        let offsets = Self.offsets(in: current)
        var damages = offsets.map { Array(current[..<$0]) }
        damages += offsets.map { index in
            var bytes = current
            bytes[index] ^= 0xFF
            return bytes
        }
        for damage in damages {
            var files = files
            files["data/energy.b.jsonl"] = damage
            let fileSystem = MemoryFileSystem(files)
            let log = CapturingLogHandler()
            let store = try await FileEnergyStore.open(
                .init(directory: directory),
                fileSystem: fileSystem,
                logger: log.logger
            )
            #expect(try await store.load() == Records.state(1, devices: 2))
            #expect(log.messages(.error).count == 1)
            #expect(fileSystem.files["data/energy.damaged-1.jsonl"] == damage)
            try await store.save(Records.state(3, devices: 2))
            #expect(try await store.load() == Records.state(3, devices: 2))
            #expect(fileSystem.files["data/energy.damaged-1.jsonl"] == damage)
            await store.close()
        }
    }
}
