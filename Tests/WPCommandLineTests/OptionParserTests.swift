// SPDX-License-Identifier: MIT

import Testing

@testable import WPCommandLine

@Suite struct OptionParserTests {
    private static let spec = CommandSpec(
        "simulate",
        summary: "Play a WinPower server",
        options: [
            CommandOption("--devices", .value("N"), help: "How many"),
            CommandOption("--port", aliases: ["--listen-port"], .value("N"), help: "Where"),
            CommandOption("--tls", .boolean, help: "Encrypted"),
            CommandOption("--once", help: "Once"),
            CommandOption("--format", .choice(["text", "json"]), help: "How"),
            CommandOption("--label", .value("TEXT"), help: "Labels", isRepeatable: true),
            CommandOption("--after", .value("DURATION"), help: "When"),
            CommandOption("--scenario", .word("NAME", ["steady", "outage", "hang"]), help: "What"),
            CommandOption("--hidden", .value("N"), help: "Not shown", isListed: false),
        ],
        positionals: CommandSpec.Positionals("FILE", count: 0...2)
    )
    private let parser = OptionParser(spec)

    @Test func acceptsSeparateAndAttachedValues() throws {
        let options = try parser.parse(["--devices", "5", "--port=8081", "--label", "a=b", "--label=c=d", "--label="])
        #expect(options.value(of: "--devices") == "5")
        #expect(try options.integer(of: "--port", in: 0...65535) == 8081)
        #expect(options.values(of: "--label") == ["a=b", "c=d", ""])
        #expect(options.value(of: "--format") == nil)
        #expect(!options.contains("--format") && options.contains("--label"))
        #expect(!options.wantsHelp && options.positionals == [])
    }

    @Test func acceptsAliases() throws {
        #expect(try parser.parse(["--listen-port", "1"]).value(of: "--port") == "1")
    }

    @Test(
        arguments: [
            (["--tls"], true), (["--no-tls"], false), (["--tls=false"], false), (["--tls=yes"], true), ([], nil),
        ] as [([String], Bool?)]
    )
    func readsASwitch(_ arguments: [String], _ expected: Bool?) throws {
        #expect(try parser.parse(arguments).boolean(of: "--tls") == expected)
    }

    @Test(arguments: [
        (Duration.zero, "0s"), (.seconds(-1), "0s"), (.milliseconds(-1), "0s"), (.microseconds(999), "0s"),
        (.milliseconds(1), "1ms"), (.milliseconds(59_999), "59s999ms"), (.seconds(60), "1m"),
        (.milliseconds(90_061_001), "25h1m1s1ms"), (.seconds(3599), "59m59s"),
    ])
    func showsADuration(_ duration: Duration, _ text: String) throws {
        #expect(DurationText.format(duration) == text)
        if duration >= .milliseconds(1) { #expect(try DurationText.parse(text) == duration) }
    }

    @Test(arguments: [
        ("", "it is empty"), ("5", "a number needs a unit: h, m, s or ms"),
        ("1h5", "a number needs a unit: h, m, s or ms"), ("1.5s", "only whole numbers and units are allowed"),
        ("s", "a whole number must precede each unit"), ("-1s", "a whole number must precede each unit"),
        ("1s1m", "the units must go from large to small, each once"),
        ("1s1s", "the units must go from large to small, each once"), ("1d", "the units are h, m, s and ms"),
        ("1Ms", "the units are h, m, s and ms"), ("1z", "the units are h, m, s and ms"),
        ("9223372036854775808ms", "it is too long"), ("9223372036854775807s", "it is too long"),
        ("2562047788015h12m55s808ms", "it is too long"),
    ])
    func rejectsOtherDurations(_ text: String, _ reason: String) {
        let error = #expect(throws: DurationText.Malformed.self) { try DurationText.parse(text) }
        #expect(error?.description == reason)
        #expect(throws: Never.self) { try DurationText.parse("2562047788015h12m55s807ms") }
    }

    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ac", 1),
        ("ac", "abc", 1), ("abc", "bac", 1), ("abc", "acb", 1), ("ab", "ba", 1), ("abcd", "badc", 2),
        ("kitten", "sitting", 3), ("ca", "abc", 3), ("a", "b", 1), ("flaw", "lawn", 2), ("abab", "baba", 2),
    ])
    func countsTheEditsBetweenNames(_ left: String, _ right: String, _ distance: Int) {
        #expect(NearestName.distance(Array(left.utf8), Array(right.utf8)) == distance)
    }

    @Test(
        arguments: [
            ("stat", ["start", "state", "port"], "start"), ("STATS", ["stat"], "stat"), ("ab", ["ac", "bb"], "ac"),
            ("ab", ["cd"], nil), ("abcdef", ["abcdxy"], "abcdxy"), ("abcdef", ["abcxyz"], nil), ("a", [], nil),
            (
                String(repeating: "x", count: 100), [String(repeating: "x", count: 99)],
                String(repeating: "x", count: 99)
            ),
            (String(repeating: "x", count: 101), [String(repeating: "x", count: 101)], nil),
        ] as [(String, [String], String?)]
    )
    func findsTheNearestName(_ name: String, _ candidates: [String], _ expected: String?) {
        #expect(NearestName.find(name, in: candidates) == expected)
    }

    @Test func quotesUpToSixtyCharacters() {
        let sixty = String(repeating: "é", count: 60)
        #expect(Quoted.text(sixty) == "`\(sixty)`")
        #expect(Quoted.text(sixty + "x") == "`\(sixty)…`")
        #expect(Quoted.text("a\u{1B}b\n") == "`a\u{FFFD}b\u{FFFD}`")
    }

    @Test(
        arguments: [
            ("true", true), ("YES", true), ("1", true), ("False", false), ("no", false), ("0", false), ("", nil),
            ("2", nil), ("on", nil),
        ] as [(String, Bool?)]
    )
    func readsABoolean(_ text: String, _ value: Bool?) {
        #expect(BooleanText.parse(text) == value)
    }

    @Test func acceptsPositionalArguments() throws {
        #expect(try parser.parse(["a", "--once", "-"]).positionals == ["a", "-"])
        #expect(try parser.parse(["--", "--once", "-h"]).positionals == ["--once", "-h"])
        #expect(try !parser.parse(["--", "--once"]).contains("--once"))
        #expect(try parser.parse(["--label", "-"]).value(of: "--label") == "-")
    }

    @Test(arguments: [["-h"], ["--help"], ["--nonsense", "--help"], ["--devices", "-h"], ["a", "b", "c", "--help"]])
    func helpTakesPrecedenceOverErrors(_ arguments: [String]) throws {
        let options = try parser.parse(arguments)
        #expect(options.wantsHelp)
        #expect(options.positionals == [])
    }

    @Test(
        arguments: [
            (["--device", "5"], .unknownOption, "simulate has no option `--device`; did you mean --devices?"),
            (["--no-once"], .unknownOption, "simulate has no option `--no-once`; did you mean --once?"),
            (["--zzzzzzz"], .unknownOption, "simulate has no option `--zzzzzzz`; --help lists the options"),
            (["-v"], .unknownOption, "simulate has no option `-v`; --help lists the options"),
            (["--no-devices"], .unknownOption, "simulate has no option `--no-devices`; did you mean --devices?"),
            (["--devices"], .missingValue, "--devices needs a value: --devices N"),
            (["--format"], .missingValue, "--format needs a value: --format text|json"),
            (
                ["--devices", "--tls"], .missingValue,
                "--devices needs a value; one that begins with a dash is written --devices=VALUE"
            ),
            (["--once=1"], .unexpectedValue, "--once takes no value"),
            (["--no-tls=true"], .unexpectedValue, "--no-tls takes no value"),
            (["--format", "xml"], .invalidValue, "--format: found `xml`, expected text or json"),
            (
                ["--scenario", "outag"], .invalidValue,
                "--scenario: found `outag`, expected one of steady, outage, hang; did you mean outage?"
            ),
            (["--scenario="], .invalidValue, "--scenario: found ``, expected one of steady, outage, hang"),
            (["--scenario"], .missingValue, "--scenario needs a value: --scenario NAME"),
            (["--port", "1", "--port=2"], .repeated, "--port is already given; it may be given once"),
            (
                ["--port", "1", "--listen-port=2"], .repeated,
                "--listen-port is already given (as --port); it may be given once"
            ),
            (["--tls", "--no-tls"], .repeated, "--no-tls is already given (as --tls); it may be given once"),
            (["a", "b", "c"], .unexpectedArgument, "simulate does not expect the argument `c`"),
            (
                ["--tls", "false", "b", "c"], .unexpectedArgument,
                "simulate does not expect the argument `c`; a switch takes its value as in --tls=false"
            ),
        ] as [([String], OptionFault.Code, String)]
    )
    func rejectsInvalidArguments(_ arguments: [String], _ code: OptionFault.Code, _ message: String) {
        let fault = #expect(throws: OptionFault.self) { try parser.parse(arguments) }
        #expect(fault?.code == code)
        #expect(fault?.description == message)
    }

    @Test func acceptsABooleanAfterASwitchWithoutPositionals() throws {
        let options = [CommandOption("--tls", .boolean, help: "Encrypted"), CommandOption("--once", help: "Once")]
        let parser = OptionParser(CommandSpec("server", summary: "Serve", options: options))
        for (word, value) in [("true", true), ("false", false), ("no", false), ("1", true)] {
            #expect(try parser.parse(["--tls", word, "--once"]).boolean(of: "--tls") == value)
        }
        #expect(try parser.parse(["--tls", "--once"]).boolean(of: "--tls") == true)
        for arguments in [
            ["--tls", "perhaps"], ["--no-tls", "true"], ["--once", "true"], ["--tls", "true", "true"],
        ] {
            let fault = #expect(throws: OptionFault.self) { try parser.parse(arguments) }
            #expect(fault?.code == .unexpectedArgument)
        }
        // If positional arguments are allowed, the value is one of them.
        #expect(try self.parser.parse(["--tls", "true"]).positionals == ["true"])
    }

    @Test func acceptsUnlistedOptions() throws {
        #expect(try parser.parse(["--hidden", "5"]).value(of: "--hidden") == "5")
        #expect(!Self.spec.help(program: "x").contains("--hidden"))
    }

    @Test func checksTheNumberOfArguments() throws {
        let spec = CommandSpec("check", summary: "Check", positionals: .init("FILE", count: 1...1))
        let fault = #expect(throws: OptionFault.self) { try OptionParser(spec).parse([]) }
        #expect(fault?.code == .missingArgument)
        #expect(fault?.description == "check needs FILE")
        let choice = CommandSpec(
            "do",
            summary: "Do",
            positionals: .init("ACTION", count: 1...2, words: ["this", "that"])
        )
        let missing = #expect(throws: OptionFault.self) { try OptionParser(choice).parse([]) }
        #expect(missing?.description == "do needs ACTION: one of this, that")
        #expect(try OptionParser(spec).parse(["x"]).positionals == ["x"])
    }

    @Test func parsesTypedValues() throws {
        let options = try parser.parse(["--devices", "x", "--after", "90s", "--tls=perhaps"])
        #expect(try options.duration(of: "--after") == .seconds(90))
        #expect(try options.duration(of: "--label") == nil)
        #expect(try options.integer(of: "--label", in: 0...1) == nil)
        let number = #expect(throws: OptionFault.self) { try options.integer(of: "--devices", in: 1...10) }
        #expect(number?.description == "--devices: found `x`, expected a whole number from 1 to 10")
        let boolean = #expect(throws: OptionFault.self) { try options.boolean(of: "--tls") }
        #expect(boolean?.description == "--tls: found `perhaps`, expected true or false (or 1, 0, yes, no)")
        let duration = #expect(throws: OptionFault.self) { try parser.parse(["--after=5"]).duration(of: "--after") }
        #expect(duration?.description.contains("a number needs a unit") == true)
    }

    @Test func returnsKeyedValuesWithoutCheckingTheirChoices() throws {
        let options = [
            CommandOption("--level", .choice(["low", "high"]), help: "How much", key: "log.level"),
            CommandOption("--sync", .boolean, help: "Wait", key: "sync"),
        ]
        let spec = CommandSpec("go", summary: "Goes", shared: SharedOptions("S", introduction: "", options: options))
        let keyed = try OptionParser(spec).parse(["--no-sync", "--level=loud"]).keyed
        #expect(keyed.map(\.spelling) == ["--no-sync", "--level"])
        #expect(keyed.map(\.key) == ["sync", "log.level"])
        #expect(keyed.map(\.value) == ["false", "loud"])
    }
}
