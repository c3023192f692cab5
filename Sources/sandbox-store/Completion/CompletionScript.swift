import StoreScenario

/// The script by which a shell completes the tool's commands, made from the tables of commands.
struct CompletionScript {
    /// A shell that runs it.
    enum Shell: String, CaseIterable { case bash, zsh }

    /// The words that may stand at a place.
    enum Words: Equatable {
        case files
        case some([String])
    }

    let shell: Shell

    /// The whole script.
    var text: String {
        switch shell {
        case .bash:
            """
            # bash completion for sandbox-store: source <(sandbox-store completion bash)
            \(function)
            _sandbox_store() {
                local words
                words=$(_sandbox_store_words "${COMP_WORDS[@]:1:COMP_CWORD}")
                if [ "$words" = @files ]; then
                    COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
                else
                    COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
                fi
            }
            complete -o filenames -F _sandbox_store sandbox-store

            """
        case .zsh:
            """
            #compdef sandbox-store
            # zsh completion for sandbox-store: source <(sandbox-store completion zsh)
            \(function)
            _sandbox_store() {
                local found
                found=$(_sandbox_store_words "${(@)words[2,CURRENT]}")
                if [ "$found" = @files ]; then
                    _files
                else
                    compadd -- ${(f)found}
                fi
            }
            compdef _sandbox_store sandbox-store

            """
        }
    }

    /// The function, for every shell, that prints the words for the last of its arguments, which come behind the
    /// program's name.
    private var function: String {
        let valueOptions = Set(CompletionTable.commands.flatMap { $0.options.filter { $0.words != nil }.map(\.name) })
        return """
            _sandbox_store_words() {
                local command='' previous='' place=0 isValue='' word
                while [ $# -gt 1 ]; do
                    word=$1
                    shift
                    if [ -n "$isValue" ]; then
                        isValue=''
                    else
                        case $word in
                            \(valueOptions.sorted().joined(separator: "|"))) isValue=1 ;;
                            -*) ;;
                            *) if [ -z "$command" ]; then command=$word; else place=$((place + 1)); fi ;;
                        esac
                    fi
                    previous=$word
                done
                if [ -n "$isValue" ]; then
                    case "$command $previous" in
            \(branches(values))
                    esac
                else
                    case $1 in
                        -*)
                            case $command in
            \(branches(options))
                            esac ;;
                        *)
                            case "$command $place" in
            \(branches(places))
                            esac ;;
                    esac
                fi
            }
            """
    }

    /// The words behind each option of each command.
    private var values: [(String, Words)] {
        CompletionTable.commands.flatMap { command in
            command.options.compactMap { option in option.words.map { ("\(command.name) \(option.name)", $0) } }
        }
    }

    /// The options of each command.
    private var options: [(String, Words)] {
        CompletionTable.commands.map { ($0.name, .some($0.options.map(\.name))) }
    }

    /// The words at each place of each command.
    private var places: [(String, Words)] {
        CompletionTable.commands.flatMap { command in
            command.parameters.enumerated().map { ("\(command.name) \($0)", $1) }
        }
    }

    private func branches(_ cases: [(String, Words)]) -> String {
        cases.compactMap { pattern, words in
            switch words {
            case .files: "            '\(pattern)') echo @files ;;"
            case .some(let words) where words.isEmpty: nil
            case .some(let words): "            '\(pattern)') printf '%s\\n' \(words.joined(separator: " ")) ;;"
            }
        }.joined(separator: "\n")
    }
}
