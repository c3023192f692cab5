import StoreScenario

/// The script by which a shell completes the tool's commands, generated from the tables of commands.
struct CompletionScript {
    /// A shell that runs it.
    enum Shell: String, CaseIterable { case bash, zsh }

    /// The words that are valid at a position.
    enum Words: Equatable {
        case files
        /// Some words, and the store's names of a kind.
        case some([String], names: String? = nil)
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
                local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} words word
                words=$(_sandbox_store_words "${COMP_WORDS[@]:1:COMP_CWORD}")
                COMPREPLY=()
                if [ "$words" = @files ]; then
                    compopt -o filenames 2>/dev/null
                    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
                else
                    # Not compgen -W, which would expand what stands in a name.
                    while IFS= read -r word; do
                        if [ -n "$word" ] && [[ $word = "$current"* ]]; then COMPREPLY+=("$(printf %q "$word")"); fi
                    done <<<"$words"
                fi
            }
            complete -F _sandbox_store sandbox-store

            """
        case .zsh:
            """
            #compdef sandbox-store
            # zsh completion for sandbox-store: source <(sandbox-store completion zsh)
            \(function)
            _sandbox_store() {
                local program=${words[1]} found
                found=$(_sandbox_store_words "${(@Q)words[2,CURRENT]}")
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

    /// The functions for every shell: the first prints the completions of its last argument, given the arguments after the
    /// program's name; the second prints the store's names of a kind, and nothing if the store cannot be read.
    ///
    /// The program's path is in a variable of the caller.
    private var function: String {
        let valueOptions = Set(CompletionTable.commands.flatMap { $0.options.filter { $0.words != nil }.map(\.name) })
        return """
            _sandbox_store_words() {
                local command='' previous='' place=0 isValue='' option='' file='' word
                while [ $# -gt 1 ]; do
                    word=$1
                    shift
                    if [ -n "$isValue" ]; then
                        isValue=''
                        case $previous in --store|--storekit) option=$previous file=$word ;; esac
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
            _sandbox_store_names() {
                case $file in '~/'*) file=$HOME/${file#??} ;; esac
                if [ -n "$file" ]; then
                    "$program" "$option" "$file" names "$1"
                else
                    "$program" names "$1"
                fi 2>/dev/null </dev/null
            }
            """
    }

    /// The words after each option of each command.
    private var values: [(String, Words)] {
        CompletionTable.commands.flatMap { command in
            command.options.compactMap { option in option.words.map { ("\(command.name) \(option.name)", $0) } }
        }
    }

    /// The options of each command.
    private var options: [(String, Words)] {
        CompletionTable.commands.map { ($0.name, .some($0.options.map(\.name))) }
    }

    /// The words at each position of each command.
    private var places: [(String, Words)] {
        CompletionTable.commands.flatMap { command in
            command.parameters.enumerated().map { ("\(command.name) \($0)", $1) }
        }
    }

    private func branches(_ cases: [(String, Words)]) -> String {
        cases.compactMap { pattern, words in
            switch words {
            case .files: return "            '\(pattern)') echo @files ;;"
            case .some(let words, let kind):
                let parts = [
                    words.isEmpty ? nil : "printf '%s\\n' \(words.joined(separator: " "))",
                    kind.map { "_sandbox_store_names \($0)" },
                ].compactMap(\.self)
                return parts.isEmpty ? nil : "            '\(pattern)') \(parts.joined(separator: "; ")) ;;"
            }
        }.joined(separator: "\n")
    }
}
