/// The script by which a shell completes the tool's command lines.
///
/// It passes the typed words to the tool itself, which answers from the table of commands.
struct CompletionScript {
    /// A shell that runs it.
    enum Shell: String, CaseIterable { case bash, zsh }

    let shell: Shell

    /// The argument before the typed words; hidden from help.
    static let command = "---complete"

    /// The tool's answer if the word is the name of a file, which the shell completes.
    static let files = "@files"

    /// The whole script.
    var text: String {
        switch shell {
        case .bash:
            // Not compgen -W, which would expand what is in a name; without mapfile, which macOS's bash 3.2 lacks.
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
                    compadd -- ${(f)found}
                fi
            }
            compdef _sandbox_store sandbox-store

            """
        }
    }
}
