import Foundation
import StoreScenario

extension SandboxStoreTool {
    /// Prints the completions of the last of the words after the program's name, a line each.
    func complete(_ words: [String]) {
        let current = words.last ?? ""
        // The shell does not expand what it completes.
        let typed = words.dropLast().map { NSString(string: $0).expandingTildeInPath }
        guard let arguments = try? CommandArguments(typed) else { return }
        var word = arguments.row.parameter(at: arguments.position)
        if let option = arguments.openOption {
            word = option.operand
        } else if current.hasPrefix("-") {
            word = CommandWord("", .choice(Set(arguments.row.allOptions.map(\.name) + ["--help"]).sorted()))
        }
        guard let word else { return }
        guard let kind = word.kind else { return console.write("\(CompletionScript.files)\n") }
        var found = kind.words
        // Without names if the store cannot be read.
        if kind.noun != nil, let options = try? StoreOptions(arguments, .names(kind)),
            let names = try? names(of: kind, options)
        {
            found += names
        }
        write(found.filter { $0.hasPrefix(current) })
    }
}
