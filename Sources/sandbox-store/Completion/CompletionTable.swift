import StoreScenario

/// The commands of the tool with the words that a shell can complete.
enum CompletionTable {
    struct Option {
        let name: String
        /// The words after it; nil for an option without one.
        var words: CompletionScript.Words?
    }

    struct Entry {
        /// The command's name; empty for the words before any command.
        let name: String
        var parameters: [CompletionScript.Words] = []
        var options: [Option] = []
    }

    /// The options of every command on a store.
    private static let storeOptions = [
        Option(name: "--store", words: .files), Option(name: "--storekit", words: .files), Option(name: "--json"),
    ]

    /// The tool's own commands.
    static let own: [Entry] = [
        Entry(name: "demo", parameters: [.files], options: [Option(name: "--ask"), Option(name: "--json")]),
        Entry(name: "check", parameters: [.files], options: [Option(name: "--json")]),
        Entry(
            name: "verify",
            parameters: [.files],
            options: ["--key-file", "--root", "--revocation-list"].map { Option(name: $0, words: .files) }
                + ["--key", "--at"].map { Option(name: $0, words: .some([])) } + [Option(name: "--json")]
        ),
        Entry(
            name: "serve",
            options: ["--store", "--ca", "--configuration"].map { Option(name: $0, words: .files) }
                + ["--port", "--host", "--bundle", "--notify", "--shared-secret", "--tls", "--receipt-limit"]
                .map { Option(name: $0, words: .some([])) } + [Option(name: "--json")]
        ),
        Entry(
            name: "init",
            parameters: [.files],
            options: storeOptions + [Option(name: "--at", words: .some([]))]
        ),
        Entry(name: "run", parameters: [.files], options: storeOptions),
        Entry(
            name: "names",
            parameters: [.some(ScenarioValueKind.named.compactMap(\.noun))],
            options: storeOptions
        ),
        Entry(name: "completion", parameters: [.some(CompletionScript.Shell.allCases.map(\.rawValue))]),
    ]

    /// All commands, preceded by the words before any command.
    static let commands: [Entry] = [first] + own + ScenarioCommand.all.map(Entry.init)

    fileprivate static let first = Entry(
        name: "",
        parameters: [.some(own.map(\.name) + ScenarioCommand.all.map(\.name))],
        options: storeOptions + [Option(name: "--help")]
    )
}

extension CompletionTable.Entry {
    init(_ command: ScenarioCommand) {
        name = command.name
        parameters = command.parameters.map { parameter in
            parameter.name == "command" ? .some(ScenarioCommand.all.map(\.name)) : Self.words(of: parameter.kind)
        }
        options =
            command.options.map { option in
                CompletionTable.Option(name: option.name, words: option.kind.map(Self.words))
            } + CompletionTable.first.options
    }

    private static func words(of kind: ScenarioValueKind) -> CompletionScript.Words {
        .some(kind.words, names: kind.noun)
    }
}
