// SPDX-License-Identifier: MIT

import Testing
import WPCommandLine

/// The text of the scripts. `Integration/test_completion.py` tests them in the shells.
@Suite struct CompletionTests {
    private static let program = ProgramSpec(
        "my-prog",
        summary: "Does things",
        commands: [
            CommandSpec(
                "run",
                summary: "Runs the operator's things: all",
                options: [
                    CommandOption(
                        "--level",
                        aliases: ["--log.level"],
                        .choice(["low", "high"]),
                        help: "How [much]: it's up to you"
                    ),
                    CommandOption("--config", .value("PATH"), help: "The file"),
                    CommandOption("--tls", .value("DIRECTORY"), help: "The directory"),
                    CommandOption(
                        "--out",
                        .suggestion("OUTPUT", .init(["stdout", "stderr"], andFiles: true)),
                        help: "Where"
                    ),
                    CommandOption("--count", .value("N"), help: "How many"),
                    CommandOption("--sync", .boolean, help: "Wait"),
                    CommandOption("--once", aliases: ["--single"], help: "Ends"),
                    CommandOption("--label", .value("TEXT"), help: "Labels", isRepeatable: true),
                    CommandOption("--hidden", .choice(["a", "b"]), help: "Secretly", isListed: false),
                ]
            ),
            CommandSpec("do", summary: "Does", positionals: .init("ACTION", count: 1...2, words: ["this", "that"])),
            CommandSpec("help", summary: "Helps", positionals: .init("COMMAND", count: 0...1, namesCommand: true)),
        ]
    )

    private func lines(_ shell: CompletionShell) -> [String] {
        Self.program.completion(for: shell).split(separator: "\n").map { $0.trimming(" ") }
    }

    @Test func bashCompletesOptionsAndValues() {
        let lines = lines(.bash)
        for line in [
            #"options="--level --config --tls --out --count --sync --no-sync --once --label --help""#,
            #"valued=" --level --log.level --config --tls --out --count --label --hidden ""#,
            #"--level | --log.level) words="low high" ;;"#, "--config) paths=-f ;;", "--tls) paths=-d ;;",
            #"--out) words="stdout stderr" paths=-f ;;"#, #"--hidden) words="a b" ;;"#, #"arguments="this that""#,
            "more=1",
            #"arguments="run do help""#, "complete -F _my_prog my-prog",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(!lines.contains { $0.hasPrefix("--count)") })
    }

    @Test func zshCompletesOptionsAndValues() {
        let lines = lines(.zsh)
        for line in [
            "#compdef my-prog", #"'--level=[How \[much\]\: it'\''s up to you]:value:(low high)' \"#,
            #"'!--log.level=:value:(low high)' \"#, #"'--config=[The file]:PATH:_files' \"#,
            #"'--tls=[The directory]:DIRECTORY:_files -/' \"#, #"'--count=[How many]:N: ' \"#,
            #"'(--no-sync)--sync[Wait]' \"#, #"'(--sync)--no-sync[Not: Wait]' \"#, #"'*--label=[Labels]:TEXT: ' \"#,
            "'--once[Ends]' \\", "'!--single' \\",
            #"'!--hidden=:value:(a b)' \"#, #"'1:ACTION:(this that)' \"#, #"'1:COMMAND:(run do help)'"#,
            #"'run:Runs the operator'\''s things: all'"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func fishCompletesOptionsAndValues() {
        let lines = lines(.fish)
        for line in [
            #"complete -c my-prog -n 'test (count (commandline -opc)) -eq 1' -a run -d 'Runs the operator\'s things: all'"#,
            #"complete -c my-prog -n '__my_prog_command run' -l level -x -a 'low high' -d 'How [much]: it\'s up to you'"#,
            "complete -c my-prog -n '__my_prog_command run' -l config -r -F -d 'The file'",
            "complete -c my-prog -n '__my_prog_command run' -l sync -d 'Wait'",
            "complete -c my-prog -n '__my_prog_command run' -l no-sync -d 'Wait'",
            "complete -c my-prog -n '__my_prog_command run' -l once -d 'Ends'",
            "complete -c my-prog -n '__my_prog_command do; and not __fish_seen_subcommand_from this that' -a 'this that'",
            "complete -c my-prog -n '__my_prog_command help' -a 'run do help'",
            "complete -c my-prog -n '__my_prog_command do; and __fish_seen_subcommand_from this that' -F",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(!lines.contains { $0.contains("hidden") })
        // Files only follow a first argument if there may be a second.
        #expect(lines.filter { $0.hasSuffix(" -F") }.count == 1)
    }
}

@Suite struct ManualPageTests {
    private static let page = ManualPage(
        ProgramSpec(
            "prog",
            summary: "Serves things",
            commands: [
                CommandSpec(
                    "run",
                    summary: "Runs",
                    discussion: ["First sentence. Second one: `x`.", ".hidden begins with a dot."],
                    lists: [.init("Ways", [("left", "to the left")])],
                    options: [
                        CommandOption("--count", .value("N"), help: "How many × 3", defaultText: "1"),
                        CommandOption("--sync", .boolean, help: #"Wait for "it" \ ~"#),
                    ],
                    shared: SharedOptions(
                        "SETTINGS",
                        introduction: "A setting is a flag or a key.",
                        options: [
                            CommandOption(
                                "--port",
                                .value("N"),
                                help: "Where",
                                group: "The listener",
                                reference: "Key p."
                            ),
                            CommandOption("--level", .value("N"), help: "Unseen", group: "The log", isListed: false),
                        ]
                    ),
                    positionals: .init("FILE", count: 0...3),
                    examples: [.init("prog run --count 3", "Three")],
                    exitStatuses: [.init(0, "good")]
                )
            ]
        ),
        date: "November 22, 2026",
        version: "1.2",
        environmentNote: "Variables that begin with P_ are settings.",
        environment: [("NO_COLOR", "No colours.")],
        files: [("./x.yaml", "Settings.")]
    ).source

    private func contains(_ lines: String...) -> Bool {
        ("\n" + Self.page).contains("\n" + lines.joined(separator: "\n") + "\n")
    }

    @Test func containsAllSections() {
        #expect(
            Self.page.hasPrefix(
                ".Dd November 22, 2026\n.Dt PROG 1\n.Os prog 1.2\n.Sh NAME\n.Nm prog\n.Nd serves things\n"
            )
        )
        #expect(contains(".Sh SYNOPSIS", ".Nm", ".Ar command", ".Op Ar options", ".Sh DESCRIPTION"))
        #expect(contains(".Ss run", ".Nm", ".Cm run", ".Op Ar options", ".Op Ar FILE ...", ".Pp", "Runs."))
        #expect(contains(".It Cm left", "To the left."))
        #expect(contains(".It Fl \\-count Ar N", "How many \\[u00D7] 3 (default: 1)."))
        #expect(contains(".It Ev NO_COLOR", "No colours."))
        #expect(contains(".It Pa ./x.yaml", "Settings."))
        #expect(contains("Three:", ".Bd -literal -offset indent", "prog run \\-\\-count 3", ".Ed"))
        #expect(contains("run:", ".Bl -tag -width Ds", ".It Li 0", "Good.", ".El"))
    }

    @Test func startsALinePerSentenceAndEscapesMacros() {
        #expect(contains("First sentence.", "Second one: \\(gax\\(ga."))
        #expect(contains("\\&.hidden begins with a dot."))
        #expect(contains(".It Fl \\-[no\\-]sync", "Wait for \\(dqit\\(dq \\e \\(ti."))
    }

    @Test func describesSharedOptionsInTheirOwnSection() {
        #expect(contains(".Sh SETTINGS", "A setting is a flag or a key.", ".Ss The listener", ".Bl -tag -width Ds"))
        #expect(contains(".It Fl \\-port Ar N", "Where.", "Key p."))
        #expect(contains(".Ss The log"))
        #expect(contains("It also accepts the options listed under SETTINGS."))
        #expect(contains(".Sh ENVIRONMENT", "Variables that begin with P_ are settings."))
        // If two commands share a group, the section shows the one with the most options.
        let few = SharedOptions("S", introduction: "I", options: [CommandOption("--a", help: "A", group: "G")])
        let all = SharedOptions(
            "S",
            introduction: "I",
            options: few.options + [CommandOption("--b", help: "B", group: "G")]
        )
        let commands = [few, all, few].map { CommandSpec("c", summary: "C", shared: $0) }
        let page = ManualPage(ProgramSpec("p", summary: "P", commands: commands), date: "", version: "").source
        #expect(page.split(separator: "\n").count { $0 == ".Sh S" } == 1)
        #expect(page.split(separator: "\n").count { $0 == ".It Fl \\-b" } == 1)
    }
}

extension Substring {
    fileprivate func trimming(_ character: Character) -> String {
        String(drop { $0 == character })
    }
}
