// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPConfig
import WPCore
import WPProgram
import WPSettings
import WPYAML

/// Environment variables in the file.
@Suite struct VariableSubstitutionTests {
    private static func load(
        _ yaml: String,
        _ environment: [String: String] = [:],
        without missing: [String] = []
    ) throws -> LoadedSettings<ExporterSettings> {
        try Loading.load(yaml: yaml, environment: environment, without: missing)
    }

    @Test(
        arguments: [
            ("${NAME}", "alice"), ("a-${NAME}-b", "a-alice-b"), ("${NAME}${NAME}", "alicealice"),
            ("\"${NAME}\"", "alice"), ("'x${NAME}'", "xalice"), ("$${NAME}", "${NAME}"), ("$$", "$$"),
            ("$NAME", "$NAME"), ("a$b{c}", "a$b{c}"), ("$$${NAME}", "$${NAME}"), ("${NONE:-bob}", "bob"),
            ("${EMPTY:-bob}", "bob"), ("${NAME:-bob}", "alice"), ("a${NONE:-}b", "ab"), ("${_x1}", "y"),
            ("${NONE:-a b: c}", "a b: c"), ("x${EMPTY}", "x"),
        ]
    )
    func substitutesVariables(_ value: String, _ expected: String) throws {
        let environment = ["NAME": "alice", "EMPTY": "", "_x1": "y"]
        // A string with a colon and a space is not a plain scalar.
        let quoted = value.contains(": ") ? "\"\(value)\"" : value
        let loaded = try Self.load("winpower:\n  username: \(quoted)\n", environment, without: ["winpower.username"])
        #expect(loaded.settings.winpower.username == expected)
    }

    @Test(
        arguments: [
            ("${UNSET}", "the environment variable UNSET is not set"), ("${}", "between ${ and }"),
            ("${1X}", "between ${ and }"), ("${A-B}", "between ${ and }"), ("${A:+B}", "between ${ and }"),
            ("${NAME", "never closed"), ("${ NAME }", "between ${ and }"), ("${${NAME}}", "between ${ and }"),
        ]
    )
    func rejectsInvalidReferences(_ value: String, _ expected: String) {
        let faults = Loading.faults(
            yaml: "winpower:\n  username: \"\(value)\"\n",
            environment: ["NAME": "alice"],
            without: ["winpower.username"]
        )
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("config.yaml:2:13: winpower.username: ") == true)
        #expect(faults.first?.contains(expected) == true, "\(faults)")
    }

    /// The content of a variable is only the value of its setting.
    @Test(arguments: [
        "null", "~", "[1, 2]", "{a: b}", "*alias", "&anchor x", "# comment", "'", "\"", "!!int 5",
        "- x", "true", " spaced ", "${OTHER}", "$${X}", "a: b",
    ])
    func neverParsesAVariableAsYAML(_ text: String) throws {
        let loaded = try Self.load(
            "winpower:\n  password: ${PASSWORD}\n",
            ["PASSWORD": text, "OTHER": "no"],
            without: ["winpower.password"]
        )
        #expect(loaded.settings.winpower.password?.reveal() == text)
        #expect(loaded.settings.server.port == 9090)
    }

    @Test func rejectsALineBreakInASecret() {
        let faults = Loading.faults(
            yaml: "winpower:\n  password: ${PASSWORD}\n",
            environment: ["PASSWORD": "hunter2\nport: 1"],
            without: ["winpower.password"]
        )
        #expect(faults.count == 1)
        #expect(!faults.joined().contains("hunter2"))
    }

    @Test func doesNotSubstituteInKeys() {
        let faults = Loading.faults(yaml: "server:\n  ${KEY}: 9100\n", environment: ["KEY": "port"])
        #expect(faults == ["config.yaml:2:3: there is no setting `${KEY}` in server"])
    }

    /// Quotes, which flow style requires around braces, do not turn a number into a string.
    @Test(arguments: [
        "server: {port: \"${PORT}\", enable_pprof: '${FLAG}'}\nscheduler: {collection_interval: \"${COUNT}s\"}\n",
        "server:\n  port: ${PORT}\n  enable_pprof: ${FLAG}\nscheduler:\n  collection_interval: ${COUNT}s\n",
    ])
    func substitutesInValuesOfEveryType(_ yaml: String) throws {
        let loaded = try Self.load(yaml, ["PORT": "9100", "FLAG": "yes", "COUNT": "7"])
        #expect(loaded.settings.server.port == 9100)
        #expect(loaded.settings.server.enablePprof)
        #expect(loaded.settings.scheduler.collectionInterval == .seconds(7))
    }

    /// A password assigned to the wrong setting must not be shown.
    @Test func neverQuotesAVariableInAFault() {
        let faults = Loading.faults(yaml: "server:\n  port: ${PASSWORD}\n", environment: ["PASSWORD": "hunter2"])
        #expect(
            faults == [
                "config.yaml:2:9 with ${PASSWORD}: server.port: found a value, expected a whole number from 0 to 65535"
            ]
        )
    }

    @Test func namesTheVariablesInTheOrigin() throws {
        let loaded = try Self.load(
            "winpower:\n  username: ${FIRST}.${LAST}.${FIRST}\n",
            ["FIRST": "a", "LAST": "b"],
            without: ["winpower.username"]
        )
        let effective = loaded.effective.first { $0.key == "winpower.username" }
        #expect(effective?.value == "a.b.a")
        #expect(
            effective?.origin
                == .substitution(
                    path: "config.yaml",
                    position: YAMLPosition(line: 2, column: 13),
                    variables: ["FIRST", "LAST"]
                )
        )
        #expect(effective?.origin.description == "config.yaml:2:13 with ${FIRST}, ${LAST}")
    }

    @Test func treatsAnEmptyValueAsUnset() throws {
        let loaded = try Self.load("server:\n  host: ${EMPTY}\n", ["EMPTY": ""])
        #expect(loaded.settings.server.host == "0.0.0.0")
        #expect(
            loaded.warnings == [
                "config.yaml:2:9 with ${EMPTY}: server.host: the value is empty, so the setting counts as not set"
            ]
        )
    }

    @Test(arguments: [(65_536, true), (65_537, false)])
    func acceptsAValueUpToTheLimit(_ size: Int, _ isAccepted: Bool) {
        let faults = Loading.faults(
            yaml: "winpower:\n  username: ${BIG}\n",
            environment: ["BIG": String(repeating: "x", count: size)],
            without: ["winpower.username"]
        )
        #expect(faults.isEmpty == isAccepted)
    }

    @Test func limitsTheSize() {
        let value = String(repeating: "${BIG}", count: 100)
        let faults = Loading.faults(
            yaml: "winpower:\n  username: \(value)\n",
            environment: ["BIG": String(repeating: "x", count: 1000)],
            without: ["winpower.username"]
        )
        #expect(faults.count == 1)
        #expect(faults.first?.contains("more than 65536 bytes") == true)
    }
}
