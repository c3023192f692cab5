import Foundation
import StoreScenario

/// The script with which a shell completes the tool's command lines.
///
/// The script passes the typed words to the tool itself, which replies with completions from the table of commands.
struct CompletionScript {
    /// A shell that runs the script.
    enum Shell: String, CaseIterable { case bash, zsh }

    let shell: Shell

    /// The argument that precedes the typed words; hidden from help.
    static let command = "---complete"

    /// The tool's reply if the word is the name of a file, which the shell itself completes.
    static let files = "@files"

    /// The whole script.
    var text: String {
        switch shell {
        case .bash:
            // Does not use `compgen -W`, which would expand text in a name, or `mapfile`, which macOS's bash 3.2 lacks.
            """
            # bash completion for sandbox-store: source <(sandbox-store completion bash)
            _sandbox_store() {
                local line program=${COMP_WORDS[0]}
                case $program in '~'/*) program=$HOME${program#?} ;; esac
                COMPREPLY=()
                while IFS= read -r line; do
                    if [ "$line" = \(Self.files) ]; then
                        compopt -o filenames 2>/dev/null
                        while IFS= read -r line; do
                            COMPREPLY+=("$line")
                        done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
                    else
                        printf -v line %q "$line"
                        COMPREPLY+=("$line")
                    fi
                done < <("$program" \(Self.command) "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
            }
            # macOS's bash 3.2 sorts the words itself.
            complete -o nosort -F _sandbox_store sandbox-store 2>/dev/null ||
                complete -F _sandbox_store sandbox-store

            """
        case .zsh:
            """
            #compdef sandbox-store
            # zsh completion for sandbox-store: source <(sandbox-store completion zsh)
            _sandbox_store() {
                local program=${${(Q)words[1]}/#\\~/$HOME} found
                found=$("$program" \(Self.command) "${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)
                if [ "$found" = \(Self.files) ]; then
                    _files
                else
                    compadd -V sandbox-store -- ${(f)found}
                fi
            }
            compdef _sandbox_store sandbox-store

            """
        }
    }
}

extension SandboxStoreTool {
    /// Prints the completions of the last word, one in each line.
    ///
    /// `words` are those after the program's name.
    func complete(_ words: [String]) {
        let current = words.last ?? ""
        // The shell passes the words without expanding them.
        let typed = words.dropLast().map { NSString(string: $0).expandingTildeInPath }
        guard let arguments = try? CommandArguments(typed) else { return }
        var word = arguments.row.parameter(at: arguments.position)
        if let option = arguments.openOption {
            word = option.operand
        } else if current.hasPrefix("-") {
            let others = ["--help"] + (arguments.row.name.isEmpty ? ["--version"] : [])
            word = CommandWord("", .choice(Set(arguments.row.allOptions.map(\.name) + others).sorted()))
        }
        guard let word else { return }
        guard let kind = word.kind else { return console.write("\(CompletionScript.files)\n") }
        var found = kind.words
        // Omits the names if the store cannot be read.
        if kind.noun != nil, let options = try? StoreOptions(arguments, .names(kind)),
            let names = try? completions(of: kind, options)
        {
            found += names
        }
        if !kind.isTransaction { found.sort() }
        write(found.filter { $0.hasPrefix(current) })
    }
}
