// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPCommandLine
import WPConfig
import WPCore
import WPSettings

/// The settings of another program, loaded like the exporter's.
@Suite struct OwnSettingsTests {
    private struct Baskets: Sendable, Equatable {
        var port = 8080
        var timeout: Duration = .seconds(10)
        var pause: Duration = .seconds(2)
        var token: Secret?
        var tokenFile: String?
        var pin: Secret?
        var colour = Colour.red
        var size: Size?
    }

    private enum Colour: String, CaseIterable, Sendable {
        case red, green
    }

    private struct Size: Sendable, Equatable {
        var width: Int
        var height: Int

        static let format = SettingFormat<Size>(expecting: "a size such as 3x4", placeholder: "WxH") {
            (text: String) throws(SettingMismatch) -> Size in
            let parts = text.split(separator: "x").compactMap { Int($0) }
            guard parts.count == 2 else { throw SettingMismatch(hint: "two numbers with an x between them") }
            return Size(width: parts[0], height: parts[1])
        } text: {
            "\($0.width)x\($0.height)"
        }
    }

    private static let table = SettingTable(
        prefix: "BASKETS_",
        defaults: Baskets(),
        searchPaths: ["./baskets.yaml", "~/.baskets.yaml"],
        sections: [
            SettingSection(
                "server",
                "The server",
                [
                    Setting("server.port", \.port, .integer(1...65535), flag: "--port", isRequired: true, help: "Port"),
                    Setting("server.timeout", \.timeout, .duration(.zero ... .seconds(60)), help: "Time limit"),
                    Setting(
                        "server.pause",
                        \.pause,
                        .duration(.zero ... .seconds(60)),
                        default: { $0.timeout / 5 },
                        defaultNote: "a fifth of server.timeout",
                        needsRestart: true,
                        rules: [.lessThan(\.timeout), .needs(\.timeout, \.size, why: "a pause needs a limit")],
                        help: "Pause"
                    ),
                    Setting("server.token", \.token, .optional(.secret), rejectsEmpty: true, help: "Token"),
                    Setting(
                        "server.token_file",
                        \.tokenFile,
                        .optional(.path),
                        file: .secret(of: \.token),
                        help: "File of the token"
                    ),
                    Setting("server.pin", \.pin, .optional(.secret), rules: [.excludes(\.token)], help: "Pin"),
                ]
            ),
            SettingSection(
                "look",
                "The look",
                [
                    Setting("look.colour", \.colour, .choice, help: "Colour"),
                    Setting("look.size", \.size, .optional(Size.format), sample: "3x4", help: "Size"),
                ]
            ),
        ],
        warnings: { settings, origin in
            settings.colour == .green ? ["green (\(origin(\.colour)))"] : []
        }
    )

    private static func load(
        _ yaml: String? = nil,
        _ environment: [String: String] = [:],
        _ flags: [String] = [],
        files: FakeFiles = FakeFiles(),
        requiresAll: Bool = false
    ) throws -> LoadedSettings<Baskets> {
        var files = files
        if let yaml { files.files["./baskets.yaml"] = SettingsFile(bytes: Array(yaml.utf8)) }
        let parser = OptionParser(CommandSpec("go", summary: "Goes", shared: table.options))
        return try SettingsLoader(table, environment: environment, files: files)
            .load(flags: parser.parse(flags).settingFlags, requiresAll: requiresAll)
    }

    private static func faults(_ yaml: String? = nil, _ environment: [String: String] = [:]) -> [String] {
        do {
            _ = try load(yaml, environment)
            return []
        } catch let faults as SettingsFaults {
            return faults.faults.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func aSectionHasItsOwnOptions() {
        #expect(Self.table.options(of: "look").options.map(\.name) == ["--look.colour", "--look.size"])
    }

    @Test(arguments: ["", " ''", " ${EMPTY}", " ${UNSET:-}"])
    func rejectsAnEmptyValueThatWouldDisableAccessControl(_ value: String) {
        let faults = Self.faults("server:\n  port: 1\n  token:\(value)\n", ["EMPTY": ""])
        #expect(faults.count == 1 && faults[0].contains("server.token: found nothing"), "\(faults)")
    }

    @Test func loadsFromAllLayers() throws {
        let loaded = try Self.load(
            "server: {port: 1, timeout: 20s}\nlook:\n  size: 3x4\n",
            ["BASKETS_SERVER_PORT": "2", "BASKETS_LOOK_COLOUR": "green"],
            ["--port", "3"]
        )
        #expect(
            loaded.settings
                == Baskets(
                    port: 3,
                    timeout: .seconds(20),
                    pause: .seconds(4),
                    colour: .green,
                    size: Size(width: 3, height: 4)
                )
        )
        #expect(
            loaded.effective.map { "\($0.key)=\($0.value) \($0.origin)" } == [
                "server.port=3 --port", "server.timeout=20s ./baskets.yaml:1:28", "server.pause=4s default",
                "server.token= default", "server.token_file= default", "server.pin= default",
                "look.colour=green BASKETS_LOOK_COLOUR", "look.size=3x4 ./baskets.yaml:3:9",
            ]
        )
        #expect(loaded.warnings == ["green (BASKETS_LOOK_COLOUR)"])
        #expect(loaded.configFile == "./baskets.yaml")
    }

    @Test func reportsFaultsWithTheirLocations() {
        #expect(
            Self.faults(
                "server:\n  prt: 1\n  token: a\n  pin: b\nlook: {size: 3}\n",
                ["BASKETS_SERVER_PAUSE": "15s", "BASKETS_SERVER_PORT": "0"]
            ) == [
                "./baskets.yaml:2:3: there is no setting `prt` in server; did you mean server.port?",
                "./baskets.yaml:5:14: look.size: found `3`, expected a size such as 3x4; two numbers with an x between them",
                "BASKETS_SERVER_PORT: server.port: found `0`, expected a whole number from 1 to 65535",
                "./baskets.yaml:4:8: server.pin: server.token is set too (./baskets.yaml:3:10); only one of them may be set",
                "BASKETS_SERVER_PAUSE: server.pause: server.pause (15s) must be less than server.timeout (10s); "
                    + "server.timeout has its default",
            ]
        )
    }

    @Test func requiresOneOfSeveral() {
        let fault =
            "BASKETS_SERVER_PAUSE: server.pause: a pause needs a limit: set server.timeout or another such setting"
        #expect(Self.faults(nil, ["BASKETS_SERVER_PAUSE": "1s"]) == [fault])
        #expect(Self.faults(nil, ["BASKETS_SERVER_PAUSE": "1s", "BASKETS_SERVER_TIMEOUT": "9s"]) == [])
        #expect(Self.faults(nil, ["BASKETS_SERVER_PAUSE": "1s", "BASKETS_LOOK_SIZE": "1x1"]) == [])
        // A value that must be less than another may not equal it.
        #expect(Self.faults(nil, ["BASKETS_SERVER_PAUSE": "9s", "BASKETS_SERVER_TIMEOUT": "9s"]).count == 1)
    }

    @Test func requiresSettingsOnlyIfRequested() throws {
        #expect(try Self.load().settings.port == 8080)
        #expect(try Self.load(nil, ["BASKETS_SERVER_PORT": "1"], requiresAll: true).settings.port == 1)
        let faults = #expect(throws: SettingsFaults.self) { try Self.load(requiresAll: true) }
        #expect(
            faults?.description
                == "server.port: it is required: set server.port in the file, BASKETS_SERVER_PORT, or --port"
        )
    }

    @Test func findsFileAndCredentials() throws {
        let files = FakeFiles(["/home/u/.baskets.yaml": "server: {port: 7}", "/creds/server.token": "t\n"])
        let environment = ["HOME": "/home/u", "CREDENTIALS_DIRECTORY": "/creds"]
        let loaded = try Self.load(nil, environment, files: files)
        #expect(loaded.settings.port == 7 && loaded.settings.tokenFile == "/creds/server.token")
        #expect(loaded.configFile == "/home/u/.baskets.yaml")
        #expect(try Self.load(nil, ["HOME": ""], files: files).configFile == nil)
        // The PIN setting has no file, so a credential cannot replace one.
        let pin = try Self.load(nil, environment, files: FakeFiles(["/creds/server.pin": "1"])).settings
        #expect(pin == Baskets())
    }

    @Test func warnsAboutSecretsInTheProcessList() throws {
        let warnings = try Self.load(nil, [:], ["--server.token", "a"]).warnings
        #expect(warnings.count == 1 && warnings[0].hasSuffix("use --server.token-file or BASKETS_SERVER_TOKEN"))
        let pin = try Self.load(nil, [:], ["--server.pin", "a"]).warnings
        #expect(pin.count == 1 && pin[0].hasSuffix("; use BASKETS_SERVER_PIN"))
        let help = CommandSpec("go", summary: "Goes", shared: Self.table.options).help(program: "x", width: 200)
        #expect(help.contains("Token; other accounts can see it in the process list, so prefer --server.token-file\n"))
        #expect(help.contains("Pin; other accounts can see it in the process list\n"))
        #expect(
            help.contains("such as --server.token-file for server.token_file, and an environment variable, such as ")
        )
    }

    @Test func keepsSettingsThatNeedARestart() throws {
        let (old, new) = (try Self.load("server: {timeout: 10s}"), try Self.load("server: {timeout: 20s}"))
        let update = SettingsUpdate(from: old, to: new)
        #expect(update.changed == ["server.timeout"] && update.waiting == ["server.pause"])
        #expect(update.settings.settings.pause == .seconds(2) && update.settings.settings.timeout == .seconds(20))
    }

    @Test func generatesDocuments() {
        #expect(
            Self.table.exampleFile(head: ["Baskets."]).hasPrefix(
                "# Baskets.\n\n# The server.\nserver:\n  # Port.\n  port: 8080\n  # Time limit.\n  timeout: 10s\n"
                    + "  # Pause. Default: a fifth of server.timeout. A change needs a restart.\n  # pause: 2s\n"
            )
        )
        #expect(
            Self.table.markdown().contains("| `look.size` | `--look.size` | `BASKETS_LOOK_SIZE` | a size such as 3x4 |")
        )
    }
}
