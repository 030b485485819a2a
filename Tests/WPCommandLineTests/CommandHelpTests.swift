// SPDX-License-Identifier: MIT

import Testing
import WPCommandLine

@Suite struct CommandHelpTests {
    private static let shared = SharedOptions(
        "SETTINGS",
        introduction: "A setting is a flag or a key.",
        options: [
            CommandOption("--host", .value("TEXT"), help: "Address to listen on", group: "The listener", key: "host"),
            CommandOption("--port", .value("N"), help: "Port to listen on", group: "The listener", key: "port"),
            CommandOption("--interval", .value("DURATION"), help: "Time between two", group: "The clock", key: "every"),
            CommandOption(
                "--level",
                .choice(["low", "high"]),
                help: "Unseen",
                group: "The log",
                key: "level",
                isListed: false
            ),
        ],
        footnote: "Each of these is a key, too."
    )

    /// The commands of the exporter, abridged.
    private static let program = ProgramSpec(
        "wpexporter",
        summary: "Reads the UPSes behind a WinPower G2 server and serves them to Prometheus",
        commands: [
            CommandSpec(
                "server",
                summary: "Serve metrics",
                discussion: ["Reads the devices at each interval and serves what it read last."],
                options: [CommandOption("--config", .value("PATH"), help: "The configuration file")],
                shared: shared,
                examples: [.init("wpexporter server --config config.yaml", "With a file")],
                exitStatuses: [.init(0, "Stopped by a signal"), .init(2, "The settings are wrong")]
            ),
            CommandSpec(
                "simulate",
                summary: "Play a WinPower server",
                options: [
                    CommandOption("--devices", .value("N"), help: "How many devices there are", defaultText: "3"),
                    CommandOption("--port", .value("N"), help: "Port to listen on", defaultText: "8081"),
                    CommandOption(
                        "--scenario",
                        .choice(["steady", "outage"]),
                        help: "What happens",
                        defaultText: "steady"
                    ),
                    CommandOption("--seed", .value("N"), help: "Makes a run repeatable"),
                    CommandOption("--tls", .boolean, help: "Serve over TLS with a certificate of its own"),
                ],
                examples: [.init("wpexporter simulate --devices 100", "A hundred devices")]
            ),
            CommandSpec("demo", summary: "Simulator and exporter in one"),
            CommandSpec(
                "version",
                summary: "Show the version",
                options: [CommandOption("--format", .choice(["text", "json"]), help: "How to show it")]
            ),
            CommandSpec("check-config", summary: "Check the settings", shared: shared),
            CommandSpec(
                "healthcheck",
                summary: "Ask a running exporter for its health",
                options: [CommandOption("--url", .value("URL"), help: "Where to ask")],
                shared: shared
            ),
            CommandSpec("help", summary: "Show help", positionals: .init("COMMAND", count: 0...1)),
        ]
    )

    @Test func showsACommand() throws {
        let help = try Self.program.command("simulate").help(program: "wpexporter", width: 74)
        #expect(
            help == """
                Usage: wpexporter simulate [options]

                Play a WinPower server.

                Options:
                  --devices N               How many devices there are (default: 3)
                  --port N                  Port to listen on (default: 8081)
                  --scenario steady|outage  What happens (default: steady)
                  --seed N                  Makes a run repeatable
                  --[no-]tls                Serve over TLS with a certificate of its own
                  -h, --help                Show this help

                Examples:
                  # A hundred devices
                  wpexporter simulate --devices 100

                """
        )
    }

    @Test func showsTheProgram() {
        #expect(
            Self.program.help(width: 60) == """
                Usage: wpexporter COMMAND [options]

                Reads the UPSes behind a WinPower G2 server and serves them
                to Prometheus.

                Commands:
                  server        Serve metrics
                  simulate      Play a WinPower server
                  demo          Simulator and exporter in one
                  version       Show the version
                  check-config  Check the settings
                  healthcheck   Ask a running exporter for its health
                  help          Show help

                `wpexporter COMMAND --help` shows the options of a command.

                """
        )
    }

    @Test(arguments: [60, 80, 100, 200])
    func staysWithinTheWidth(_ width: Int) {
        for command in Self.program.commands {
            for line in command.help(program: "wpexporter", width: width).split(separator: "\n") {
                #expect(line.count <= width || !line.dropFirst(34).contains(" "), "\(line)")
            }
        }
    }

    @Test func showsSharedOptionsUnderTheirHeadings() throws {
        let help = try Self.program.command("server").help(program: "wpexporter", width: 100)
        #expect(help.contains("\nThe listener:\n  --host TEXT "))
        #expect(help.contains("\nThe clock:\n  --interval DURATION "))
        #expect(!help.contains("--level") && !help.contains("The log"))
        #expect(help.contains("\n\nEach of these is a key, too.\n\nExamples:\n"))
        #expect(help.hasSuffix("Exit status:\n  0  Stopped by a signal\n  2  The settings are wrong\n"))
    }

    @Test func showsGroupsAndLists() {
        let program = ProgramSpec(
            "x",
            summary: "Does things",
            commands: [
                CommandSpec("run", group: "Run", summary: "Runs"), CommandSpec("look", group: "Look", summary: "Looks"),
                CommandSpec("walk", group: "Run", summary: "Walks"), CommandSpec("rest", summary: "Rests"),
            ]
        )
        #expect(
            program.help().contains(
                "\nRun:\n  run   Runs\n  walk  Walks\n\nLook:\n  look  Looks\n\nCommands:\n  rest  Rests\n"
            )
        )
        let command = CommandSpec(
            "go",
            summary: "Goes",
            lists: [.init("Ways", [("left", "To the left"), ("up", "Up")])]
        )
        #expect(command.help(program: "x").contains("\nWays:\n  left  To the left\n  up    Up\n\nOptions:\n"))
    }

    @Test func longTermsDoNotWidenTheColumn() {
        let term = String(repeating: "a", count: 31)
        let command = CommandSpec("go", summary: "Goes", lists: [.init("Ways", [(term, "Far")])])
        let margin = String(repeating: " ", count: 19)
        #expect(command.help(program: "x").contains("\nWays:\n  \(term)\n\(margin)Far\n"))
    }

    /// The longest term that widens the column, and the longest that has its own line in a narrow terminal.
    @Test(arguments: [(80, 30), (60, 22), (20, 8)])
    func longestTermOfAColumn(_ width: Int, _ longest: Int) {
        func help(_ count: Int) -> String {
            let term = String(repeating: "a", count: count)
            return CommandSpec("go", summary: "Goes", lists: [.init("Ways", [(term, "Far")])])
                .help(program: "x", width: width)
        }
        #expect(help(longest).contains("\nWays:\n  \(String(repeating: "a", count: longest))  Far\n"))
        #expect(help(longest + 1).contains("\nWays:\n  \(String(repeating: "a", count: longest + 1))\n"))
    }

    @Test func wrapsALongTerm() {
        let term = Array(repeating: "aaaaaaa", count: 6).joined(separator: " ")
        let command = CommandSpec("go", summary: "Goes", lists: [.init("Ways", [(term, "Far")])])
        let two = "  aaaaaaa aaaaaaa aaaaaaa aaaaaaa\n    aaaaaaa aaaaaaa\n"
        #expect(command.help(program: "x", width: 35).contains("\nWays:\n" + two))
        #expect(!command.help(program: "x", width: 34).contains("\nWays:\n" + two))
    }

    @Test func wrapsExamplesWithBackslashes() {
        let command = CommandSpec(
            "go",
            summary: "Goes",
            examples: [.init("x go --first value --second value --third 'a b'", "Far")]
        )
        #expect(
            command.help(program: "x", width: 40).hasSuffix(
                "  # Far\n  x go --first value --second value \\\n      --third 'a b'\n"
            )
        )
        // The first line has 33 characters, and 2 more before it and after it.
        for (width, isOneLine) in [(37, true), (36, false)] {
            #expect(command.help(program: "x", width: width).contains(" --second value \\\n") == isOneLine, "\(width)")
        }
    }

    @Test func listsManyChoicesInTheExplanation() {
        let words = ["http401", "http200", "alternating", "never"]
        let command = CommandSpec(
            "go",
            summary: "Goes",
            options: [CommandOption("--how", .choice(words), help: "How", defaultText: "never")]
        )
        #expect(
            command.help(program: "x").contains(
                "  --how WORD  How: http401, http200, alternating, never (default: never)\n"
            )
        )
        func usage(_ words: [String]) -> String {
            CommandSpec("go", summary: "Goes", options: [CommandOption("--how", .choice(words), help: "How")])
                .help(program: "x")
        }
        #expect(usage(["abcdefghijkl", "mnopqrstuvw"]).contains("  --how abcdefghijkl|mnopqrstuvw  How\n"))
        #expect(usage(["abcdefghijkl", "mnopqrstuvwx"]).contains("  --how WORD  How: abcdefghijkl, mnopqrstuvwx\n"))
    }

    @Test func showsArguments() throws {
        let help = try Self.program.command("help").help(program: "wpexporter")
        #expect(help.hasPrefix("Usage: wpexporter help [options] [COMMAND]\n"))
    }

    @Test(arguments: [
        ("sever", "there is no command `sever`; did you mean server?"),
        ("check_config", "there is no command `check_config`; did you mean check-config?"),
        ("zzz", "there is no command `zzz`; --help lists them"),
        ("--port=80", "`--port` comes before the command; options follow it: wpexporter COMMAND [options]"),
        ("-psecret", "`-p` comes before the command; options follow it: wpexporter COMMAND [options]"),
    ])
    func namesTheNearestCommand(_ name: String, _ message: String) {
        let fault = #expect(throws: OptionFault.self) { try Self.program.command(name) }
        #expect(fault?.code == .unknownCommand)
        #expect(fault?.description == message)
    }

    @Test func acceptsTheArgumentsOfEachCommand() throws {
        let lines: [(String, [String])] = [
            ("server", ["--config", "x.yaml", "--port", "1"]),
            ("simulate", ["--devices", "10", "--port", "0", "--scenario", "outage", "--seed", "7", "--tls"]),
            ("demo", []),
            ("version", ["--format", "json"]),
            ("check-config", ["--interval=10s"]),
            ("healthcheck", ["--url", "http://localhost:9090/health", "--host", "::"]),
            ("help", ["server"]),
        ]
        for (name, arguments) in lines {
            let options = try OptionParser(Self.program.command(name)).parse(arguments)
            #expect(options.wantsHelp == false)
        }
    }
}
