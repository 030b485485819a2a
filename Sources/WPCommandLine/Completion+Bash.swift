// SPDX-License-Identifier: MIT

/// Completion for bash 3.2 or later; does not need the bash-completion package.
struct BashCompletion {
    private let program: ProgramSpec

    init(_ program: ProgramSpec) {
        self.program = program
    }

    private var function: String { "_" + program.name.escaping(["-", "."]) { _ in "_" } }

    var script: String {
        """
        # Completion of \(program.name) for bash; made by `\(program.name) completion bash`.

        \(function)() {
            local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
            local command=${COMP_WORDS[1]} options="" valued="" arguments="" more="" words="" paths=""
            local option="" attached="" ended="" position=0 index word
            COMPREPLY=()
            if ((COMP_CWORD == 1)); then
                COMPREPLY=($(compgen -W "\((program.commands.map(\.name) + ["--help", "--version"]).joined(separator: " "))" -- "$current"))
                return
            fi
            # --option=value is three words, unless somebody took the = out of COMP_WORDBREAKS.
            if [[ $current == "=" ]]; then
                option=$previous current=""
            elif [[ $previous == "=" ]] && ((COMP_CWORD > 2)); then
                option=${COMP_WORDS[COMP_CWORD - 2]}
            elif [[ $current == --*=* ]]; then
                option=${current%%=*} attached=$option= current=${current#*=}
            elif [[ $previous == --* ]]; then
                option=$previous
            fi
            case $command in
        \(program.commands.map(caseOf).joined(separator: "\n"))
            *) return ;;
            esac
            for ((index = 2; index < COMP_CWORD; index++)); do
                word=${COMP_WORDS[index]}
                if [[ $word == "--" ]]; then
                    ended=1
                elif [[ $word == "=" ]]; then
                    ((index++))
                elif [[ -z $ended && $word == -* ]]; then
                    if [[ $valued == *" $word "* && ${COMP_WORDS[index + 1]:-} != "=" ]]; then ((index++)); fi
                else
                    ((position++))
                fi
            done
            if [[ -z $ended && -n $option && $valued == *" $option "* ]]; then
                \(function)_offer
            elif [[ -z $ended && ($current == -* || (-z $current && -z $arguments$more)) ]]; then
                words=$options
                \(function)_offer
            elif ((position == 0)) && [[ -n $arguments ]]; then
                words=$arguments
                \(function)_offer
            elif [[ -n $more ]]; then
                paths=-f
                \(function)_offer
            fi
        }

        # Offers words and paths that go on as the current word does.
        \(function)_offer() {
            local word
            if [[ -n $words ]]; then
                while IFS= read -r word; do COMPREPLY+=("$attached$word"); done < <(compgen -W "$words" -- "$current")
            fi
            if [[ -n $paths ]]; then
                compopt -o filenames 2>/dev/null
                while IFS= read -r word; do COMPREPLY+=("$attached$word"); done < <(compgen $paths -- "$current")
            fi
        }

        complete -F \(function) \(program.name)

        """
    }

    private func caseOf(_ command: CommandSpec) -> String {
        let offered = command.allOptions.filter(\.isListed).flatMap(\.offered) + ["--help"]
        let valued = command.allOptions.filter { $0.completion != .none }.flatMap { [$0.name] + $0.aliases }
        var lines = [
            "    \(command.name))", "        options=\"\(offered.joined(separator: " "))\"",
            "        valued=\" \(valued.joined(separator: " ")) \"",
        ]
        if let positionals = command.positionals {
            let words = program.words(of: positionals)
            if !words.isEmpty { lines.append("        arguments=\"\(words.joined(separator: " "))\"") }
            if positionals.count.upperBound > 1 { lines.append("        more=1") }
        }
        let values = command.allOptions.compactMap { option in
            assignment(option.completion).map { (([option.name] + option.aliases).joined(separator: " | "), $0) }
        }
        if !values.isEmpty {
            lines.append("        case $option in")
            lines += values.map { "        \($0.0)) \($0.1) ;;" }
            lines.append("        esac")
        }
        return (lines + ["        ;;"]).joined(separator: "\n")
    }

    private func assignment(_ value: CompletionValue) -> String? {
        switch value {
        case .none, .free: nil
        case .words(let words): "words=\"\(words.joined(separator: " "))\""
        case .file: "paths=-f"
        case .directory: "paths=-d"
        case .wordsOrFile(let words): "words=\"\(words.joined(separator: " "))\" paths=-f"
        }
    }
}
