// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPCommandLine
import WPConfig
import WPLogging
import WPProgram
import WPSettings

@Suite struct SettingValueTests {
    @Test(
        arguments: [
            ("0s", 0), ("300ms", 300), ("5s", 5000), ("1m30s", 90_000), ("2h", 7_200_000), ("1h2m3s4ms", 3_723_004),
            ("90s", 90_000), ("007s", 7000),
        ] as [(String, Int64)]
    )
    func readsADuration(_ text: String, _ milliseconds: Int64) throws {
        #expect(try DurationText.parse(text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        ("", "it is empty"), ("5", "a number needs a unit: h, m, s or ms"),
        ("0", "a number needs a unit: h, m, s or ms"),
        ("1m30", "a number needs a unit: h, m, s or ms"), ("1.5s", "only whole numbers and units are allowed"),
        ("5 s", "only whole numbers and units are allowed"), ("s", "a whole number must precede each unit"),
        ("-5s", "a whole number must precede each unit"), ("5d", "the units are h, m, s and ms"),
        ("5S", "the units are h, m, s and ms"), ("5us", "the units are h, m, s and ms"),
        ("1s1m", "the units must go from large to small, each once"),
        ("1s1s", "the units must go from large to small, each once"),
        ("9999999999999999h", "it is too long"), ("99999999999999999999s", "it is too long"),
        ("2562047788015h12m55s9999999999999999ms", "it is too long"), ("5s ", "a whole number must precede each unit"),
        ("٥s", "a whole number must precede each unit"),
    ])
    func rejectsInvalidDurations(_ text: String, _ reason: String) {
        let error = #expect(throws: DurationText.Malformed.self) { try DurationText.parse(text) }
        #expect(error?.description == reason)
    }

    @Test(arguments: ["0s", "1ms", "59s", "1m", "1m1s", "1h", "1h1ms", "27h46m40s"])
    func formatsADurationAsParsed(_ text: String) throws {
        #expect(DurationText.format(try DurationText.parse(text)) == text)
    }

    @Test func formatsNegativeDurationsAsZero() {
        #expect(DurationText.format(.seconds(-5)) == "0s")
        #expect(DurationText.format(.nanoseconds(1_500_000)) == "1ms")
    }

    @Test(
        arguments: [("0644", 0o644), ("0o644", 0o644), ("0600", 0o600), ("0777", 0o777), ("00644", 0o644)]
            as [(String, UInt16)]
    )
    func parsesPermissionsAsOctal(_ text: String, _ bits: UInt16) throws {
        let environment = ["WINPOWER_EXPORTER_STORAGE_FILE_PERMISSIONS": text]
        #expect(try Loading.load(environment: environment).settings.storage.filePermissions == bits)
        #expect(try Loading.load(yaml: "storage: {file_permissions: \(text)}").settings.storage.filePermissions == bits)
        #expect(
            try Loading.load(yaml: "storage: {file_permissions: '\(text)'}").settings.storage.filePermissions == bits
        )
    }

    @Test(arguments: [
        ("true", true), ("TRUE", true), ("1", true), ("yes", true), ("No", false), ("0", false), ("false", false),
    ])
    func readsABoolean(_ text: String, _ value: Bool) throws {
        let environment = ["WINPOWER_EXPORTER_STORAGE_SYNC_WRITE": text]
        #expect(try Loading.load(environment: environment).settings.storage.syncWrite == value)
        #expect(try Loading.load(yaml: "storage: {sync_write: \(text)}").settings.storage.syncWrite == value)
    }

    @Test(arguments: [("65536", 65536), ("64KiB", 65536), ("2MiB", 2 << 20), ("1GiB", 1 << 30)])
    func readsASize(_ text: String, _ bytes: Int) throws {
        let loaded = try Loading.load(environment: ["WINPOWER_EXPORTER_WINPOWER_MAX_RESPONSE_BYTES": text])
        #expect(loaded.settings.winpower.maxResponseBytes == bytes)
    }

    @Test func parsesLogOutputs() throws {
        for (text, output) in [
            ("stdout", LoggingSettings.Output.standardOutput), ("stderr", .standardError),
            ("/var/log/x", .file("/var/log/x")),
        ] {
            #expect(
                try Loading.load(environment: ["WINPOWER_EXPORTER_LOGGING_OUTPUT": text]).settings.logging.output
                    == output
            )
        }
    }

    @Test(arguments: ["|\n    hunter2\n", "\"hunter2\\n\"", "\"hun\\rter2\"", "\"hunter2\\0\""])
    func rejectsMultilineSecrets(_ value: String) {
        let faults = Loading.faults(yaml: "winpower:\n  password: \(value)\n", without: ["winpower.password"])
        #expect(
            faults == [
                "config.yaml:2:13: winpower.password: found a value, expected one line of text; "
                    + "it contains a line break or a NUL"
            ]
        )
    }

    @Test func truncatesQuotedValues() throws {
        let long = String(repeating: "x", count: 500)
        let fault = try #require(Loading.faults(environment: ["WINPOWER_EXPORTER_PORT": long]).first)
        #expect(fault.contains("`" + String(repeating: "x", count: 60) + "…`"))
    }
}
