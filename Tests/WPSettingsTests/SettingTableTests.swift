// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPCore

@testable import WPSettings

/// A table with the kinds of settings, sections and rules that the exporter's table lacks.
@Suite struct SettingTableTests {
    private struct Mill: Sendable, Equatable {
        var name = "mill"
        var rate: Double? = 2
        var buffer = 0
        var route = "north"
        var key: String?
        var chart: String?
        var token: Secret?
        var tokenFile: String?
        var pin: Secret?
        var pinFile: String?
    }

    /// A format whose rejected values must not be shown.
    private static let route = SettingFormat<String>(expecting: "a direction", placeholder: "ROUTE") {
        (text: String) throws(SettingMismatch) -> String in
        guard ["north", "south"].contains(text) else { throw SettingMismatch(isShowable: false) }
        return text
    } text: {
        $0
    }

    private static let table = SettingTable(
        prefix: "MILL_",
        defaults: Mill(),
        sections: [
            SettingSection(
                "mill",
                "The mill",
                [
                    Setting("mill.name", \.name, .text, isRequired: true, help: "Name"),
                    Setting("mill.route", \.route, route, rules: [.needs(\.chart, why: "it needs a map")], help: "Way"),
                    Setting("mill.key", \.key, .optional(.path), sample: "k.pem", file: .privateKey, help: "Key"),
                    Setting("mill.chart", \.chart, .optional(.path), file: .readable, help: "Chart"),
                    Setting("mill.stone.rate", \.rate, .factor(1...10), help: "Rate"),
                    Setting("mill.stone.buffer", \.buffer, .size(0...(4 << 20)), help: "Buffer"),
                ]
            ),
            SettingSection(
                "access",
                "The access",
                [
                    Setting("access.pin", \.pin, .optional(.secret), help: "Pin"),
                    Setting("access.pin_file", \.pinFile, .optional(.path), file: .secret(of: \.pin), help: "Its file"),
                    Setting(
                        "access.token",
                        \.token,
                        .optional(.secret),
                        isRequired: true,
                        rules: [.excludes(\.pin), .needs(\.key, why: "it needs a key")],
                        help: "Token"
                    ),
                    Setting(
                        "access.token_file",
                        \.tokenFile,
                        .optional(.path),
                        file: .secret(of: \.token),
                        help: "Its file"
                    ),
                ]
            ),
        ]
    )

    private static func load(
        _ yaml: String,
        _ environment: [String: String] = [:],
        table: SettingTable<Mill> = table,
        files: FakeFiles = FakeFiles()
    ) throws(SettingsFaults) -> LoadedSettings<Mill> {
        var files = files
        files.files["m.yaml"] = SettingsFile(bytes: Array(yaml.utf8))
        return try SettingsLoader(table, environment: environment, files: files)
            .load(configPath: "m.yaml", requiresAll: false)
    }

    private static func faults(
        _ yaml: String,
        table: SettingTable<Mill> = table,
        files: FakeFiles = FakeFiles()
    ) -> [String] {
        do {
            _ = try load(yaml, table: table, files: files)
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }

    // MARK: Values

    @Test(arguments: [("1", 1), ("10", 10), ("1.05", 1.05), ("9.9", 9.9), ("2.50", 2.5), ("OFF", nil)])
    func readsAFactor(_ text: String, _ value: Double?) throws {
        #expect(try Self.load("mill: {stone: {rate: \(text)}}").settings.rate == value)
    }

    @Test(arguments: [(nil, true), (1, true), (10, true), (0.99, false), (10.01, false), (.nan, false)])
    func checksAnAssignedFactor(_ value: Double?, _ isValid: Bool) {
        let loader = SettingsLoader(Self.table, environment: [:], files: FakeFiles())
        do {
            _ = try loader.check(Mill(rate: value), requiresAll: false)
            #expect(isValid)
        } catch {
            #expect(!isValid && error.faults.map(\.key) == ["mill.stone.rate"])
        }
    }

    @Test(
        arguments: [
            ("0", 0, "0"), ("1", 1, "1"), ("1023", 1023, "1023"), ("1024", 1024, "1KiB"), ("2KiB", 2048, "2KiB"),
            ("1536", 1536, "1536"), ("4096KiB", 4 << 20, "4MiB"),
        ] as [(String, Int, String)]
    )
    func readsAndFormatsASize(_ text: String, _ bytes: Int, _ formatted: String) throws {
        let loaded = try Self.load("mill: {stone: {buffer: \(text)}}")
        #expect(loaded.settings.buffer == bytes)
        #expect(loaded.effective.first { $0.key == "mill.stone.buffer" }?.value == formatted)
    }

    @Test(arguments: ["+5", "-0", "-1", "+5KiB", "/", "KiB", "4097KiB", "5kib", "٥"])
    func rejectsAnInvalidSize(_ text: String) {
        #expect(
            Self.faults("mill: {stone: {buffer: '\(text)'}}") == [
                "m.yaml:1:24: mill.stone.buffer: found `\(text)`, "
                    + "expected a size from 0 to 4MiB, in bytes or with KiB, MiB or GiB"
            ]
        )
    }

    @Test(arguments: [
        ("0", "without a leading 0 it would be a decimal number"),
        ("0o", "without a leading 0 it would be a decimal number"),
        ("644", "without a leading 0 it would be a decimal number"),
        ("0+644", "the owner must be able to read and write"), ("0400", "the owner must be able to read and write"),
        ("0200", "the owner must be able to read and write"), ("01000", "the owner must be able to read and write"),
    ])
    func explainsInvalidPermissions(_ text: String, _ hint: String) {
        let error = #expect(throws: SettingMismatch.self) { try SettingFormat.permissions.parse(text) }
        #expect(error?.hint == hint)
    }

    @Test func quotesOnlyValuesThatMayBeShown() {
        let found = Self.faults("mill: {route: hunter2}")
        #expect(found.first == "m.yaml:1:15: mill.route: found a value, expected a direction")
        let loader = SettingsLoader(Self.table, environment: [:], files: FakeFiles())
        let settings = Mill(name: "a\u{7}", route: "hunter2", token: Secret("a\nb"))
        let faults = #expect(throws: SettingsFaults.self) { try loader.check(settings, requiresAll: false) }
        #expect(
            faults?.faults.filter { $0.code == .invalidValue }.map(\.description) == [
                "mill.name: found `a\u{FFFD}`, expected text without control characters; it contains a control character",
                "mill.route: found a value, expected a direction",
                "access.token: found a value, expected one line of text; it contains a line break or a NUL",
            ]
        )
        let empty = #expect(throws: SettingsFaults.self) { try loader.check(Mill(name: ""), requiresAll: false) }
        #expect(
            empty?.description == "mill.name: found a value, expected text without control characters; it is empty"
        )
    }

    // MARK: Rules

    @Test func namesTheOnlySettingThatIsNeeded() {
        #expect(Self.faults("mill: {route: south}") == ["m.yaml:1:15: mill.route: it needs a map: set mill.chart"])
    }

    @Test func reportsAConflictInsteadOfAMissingSetting() {
        #expect(
            Self.faults("access:\n  token: a\n  pin: b\n") == [
                "m.yaml:2:10: access.token: access.pin is set too (m.yaml:3:8); only one of them may be set"
            ]
        )
    }

    @Test func requiresAllSettingsByDefault() {
        let loader = SettingsLoader(Self.table, environment: [:], files: FakeFiles())
        let loaded = #expect(throws: SettingsFaults.self) { try loader.load() }
        #expect(loaded?.faults.map(\.key) == ["mill.name", "access.token"])
        let checked = #expect(throws: SettingsFaults.self) { try loader.check(Mill()) }
        #expect(checked?.faults.map(\.key) == ["mill.name", "access.token"])
    }

    // MARK: Named files

    /// Required secrets first, then other secrets, then other files.
    @Test func reportsUnreadableFilesByImportance() {
        let yaml = """
            mill: {key: /key, chart: /chart}
            access: {pin_file: /pin, token_file: /token}
            """
        let message = "no such file"
        let faults = ["/token", "/pin", "/key", "/chart"].map { "cannot use \($0): \(message)" }
        let found = Self.faults(yaml)
        #expect(found.map { fault in faults.first { fault.hasSuffix(": " + $0) } } == faults, "\(found)")
        // By default, a program's settings are checked in the same way.
        let loader = SettingsLoader(Self.table, environment: [:], files: FakeFiles())
        let checked = #expect(throws: SettingsFaults.self) {
            try loader.check(Mill(key: "/key", chart: "/chart"), requiresAll: false)
        }
        #expect(checked?.faults.map(\.key) == ["mill.key", "mill.chart"])
    }

    @Test(arguments: [("/chart", "chart", 16 << 20), ("/key", "key", 16 << 20)])
    func limitsTheSizeOfANamedFile(_ path: String, _ key: String, _ limit: Int) {
        var files = FakeFiles(["/chart": ""])
        for (size, isAccepted) in [(limit, true), (limit + 1, false)] {
            files.files[path] = SettingsFile(bytes: [UInt8](repeating: 0, count: size))
            #expect(Self.faults("mill: {\(key): \(path)}", files: files).isEmpty == isAccepted, "\(size) bytes")
        }
    }

    @Test(arguments: [(64 << 10, true), (64 << 10 + 1, false)])
    func limitsTheSizeOfASecretFile(_ size: Int, _ isAccepted: Bool) {
        let files = FakeFiles(["/pin": String(repeating: "x", count: size)])
        #expect(Self.faults("access: {pin_file: /pin}", files: files).isEmpty == isAccepted)
    }

    @Test(arguments: [(1 << 20, true), (1 << 20 + 1, false)])
    func limitsTheSizeOfTheFile(_ size: Int, _ isAccepted: Bool) {
        let comment = "#" + String(repeating: "x", count: size - 1)
        #expect(Self.faults(comment).isEmpty == isAccepted)
    }

    @Test func warnsAboutAReadablePrivateKeyOnly() throws {
        var files = FakeFiles(["/key": "x", "/chart": "x"])
        for path in ["/key", "/chart"] { files.files[path]?.isReadableByAll = true }
        let loaded = try Self.load("mill: {key: /key, chart: /chart}", files: files)
        #expect(
            loaded.warnings == [
                "/key (mill.key) holds a private key and every account on this machine can read it; run chmod o-r on it"
            ]
        )
    }

    // MARK: Keys of others

    @Test func acceptsTheKeysOfAnotherProgram() throws {
        let table = Self.table.ignoring(["mill.name", "mill.sails", "tower.height"])
        let yaml = "mill: {name: a, sails: 4}\ntower: {height: 3}\n"
        let loaded = try Self.load(
            yaml,
            ["MILL_TOWER_HEIGHT": "3", "MILL_TOWER_WIDTH": "2", "MILL_MILL_ROUTE": ""],
            table: table
        )
        #expect(loaded.settings == Mill(name: "a"))
        #expect(
            loaded.warnings == [
                "MILL_MILL_ROUTE is set but empty; it is ignored",
                "no setting reads the environment variable MILL_TOWER_WIDTH",
            ]
        )
        #expect(Self.faults(yaml).count == 2)
        let wrong = Self.faults("tower: {width: 3}\n", table: table)
        #expect(wrong == ["m.yaml:1:9: there is no setting `width` in tower"])
    }

    @Test func acceptsSectionsOfAnotherFormat() throws {
        let table = Self.table.besides(keys: ["queries"], tags: ["!env"])
        let long = String(repeating: "x,", count: 20_000)
        let yaml = "mill: {name: a}\nqueries: [!env A, \(long)x]\n"
        #expect(try Self.load(yaml, table: table).settings.name == "a")
        #expect(Self.faults("querys: 1\n", table: table).first?.hasSuffix("; did you mean queries?") == true)
        #expect(Self.faults("mill: {queries: 1}\n", table: table).count == 1)
        #expect(Self.faults("mill: {name: [\(long)x]}\n").first?.contains("more than the 10000 values") == true)
    }

    /// The map, its key and the list count as well.
    @Test(arguments: [(9997, false), (9998, true)])
    func limitsTheNumberOfValues(_ count: Int, _ isTooLong: Bool) {
        let yaml = "mill: [\(Array(repeating: "x", count: count).joined(separator: ","))]"
        let fault = Self.faults(yaml).first
        #expect(fault?.contains("more than the 10000 values") == isTooLong, "\(fault ?? "")")
    }

    @Test(arguments: [(15, false), (16, true)])
    func limitsTheDepth(_ depth: Int, _ isTooDeep: Bool) {
        let yaml = "mill: " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let fault = Self.faults(yaml).first
        #expect(fault?.contains("found a list") == !isTooDeep, "\(fault ?? "")")
    }

    @Test func changesLoadedSettings() throws {
        let loaded = try Self.load("mill: {name: a}\n", ["MILL_MILL_ROUTE": ""])
        let changed = loaded.adding({ $0.name = "b" }, configFile: "other.yaml", warnings: ["more"])
        #expect(changed.settings == Mill(name: "b"))
        #expect(changed.configFile == "other.yaml")
        #expect(changed.warnings == ["MILL_MILL_ROUTE is set but empty; it is ignored", "more"])
        #expect(changed.effective == loaded.effective)
        #expect(loaded.adding({ _ in }).configFile == "m.yaml")
    }

    @Test func changesTheDefaultsOfATable() {
        let table = Self.table.defaults(searchPaths: ["other.yaml"]) { $0.name = "tower" }
        #expect(table.setting("mill.name")?.defaultText == "tower" && table.searchPaths == ["other.yaml"])
        #expect(table.exampleFile(head: []).contains("  name: tower\n"))
    }

    // MARK: Documents

    @Test func writesAnExampleWithNestedSections() {
        let expected = [
            "# Mills.", "", "# The mill.", "mill:", "  # Name.", "  name: mill", "  # Way.", "  route: north",
            "  # Key.",
            "  # key: k.pem", "  # Chart.", "  # chart: ", "", "  stone:", "    # Rate.", "    rate: 2",
            "    # Buffer.",
            "    buffer: 0", "", "# The access.", "access:", "  # Pin.", "  # pin: ", "  # Its file.", "  # pin_file: ",
            "  # Token.", "  token: ", "  # Its file.", "  # token_file: ", "",
        ]
        #expect(Self.table.exampleFile(head: ["Mills."]) == expected.joined(separator: "\n"))
    }
}
