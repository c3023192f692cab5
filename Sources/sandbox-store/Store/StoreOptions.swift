import Foundation
import StoreScenario

/// The options of the commands that act on a store.
struct StoreOptions: Equatable {
    /// The work on the store.
    enum Work: Equatable {
        /// The words of a command.
        case command([String])
        /// The file of a scenario.
        case run(file: String)
        /// The kind of the names to print.
        case names(ScenarioValueKind)
        /// The `.storekit` file of a new store, and the time at which it begins.
        case initialize(file: String, start: Date?)
    }

    var work: Work
    /// The file or the address of the store; a store in memory, if nil.
    var store: String?
    /// The `.storekit` file of a store in memory, or of a shared one; if nil, the file in the package, or the products of the
    /// store's ledger.
    var configuration: String?
    /// Whether each result is printed as JSON.
    var isJSON = false
}

extension Command {
    /// Parses the arguments of a command on a store.
    static func onStore(_ arguments: [String]) throws(Mistake) -> Command {
        var rest = arguments[...]
        let stores = try takeValues(of: "--store", "a file", from: &rest)
        let configurations = try takeValues(of: "--storekit", "a file", from: &rest)
        let isJSON = takeFlag("--json", from: &rest)
        guard stores.count <= 1, configurations.count <= 1 else {
            throw Mistake(sentence: "--store and --storekit can be given once")
        }
        guard configurations.isEmpty || stores.allSatisfy({ SharedStoreAddress($0) != nil }) else {
            throw Mistake(sentence: "a store in a file keeps its products: --store and --storekit do not go together")
        }
        if rest.first == "--" { rest = rest.dropFirst() }
        guard let name = rest.first else { throw Mistake(sentence: "a command is missing") }
        if isHelp(name) { return .help }
        let names = CompletionTable.own.map(\.name) + ScenarioCommand.all.map(\.name)
        guard names.contains(name) || name == "try" else {
            let noun = name.hasPrefix("-") ? "an option" : "a command"
            let hint = Suggestion.text(for: name, among: names)
            throw Mistake(sentence: "\"\(name)\" is not \(noun) of sandbox-store\(hint)")
        }
        let words = rest.prefix { $0 != "--" }
        if words.contains(where: isHelp), ScenarioCommand.named(name) == nil { return .help }
        let work = try work(name, rest.dropFirst(), asksForHelp: words.contains(where: isHelp))
        let options = StoreOptions(
            work: work,
            store: stores.first,
            configuration: configurations.first,
            isJSON: isJSON
        )
        if case .initialize = work, stores.isEmpty {
            throw Mistake(sentence: "init needs the file that is to keep the store: --store FILE")
        }
        return .store(options)
    }

    private static func work(
        _ name: String,
        _ arguments: ArraySlice<String>,
        asksForHelp: Bool
    ) throws(Mistake) -> StoreOptions.Work {
        var rest = arguments
        switch name {
        case "run":
            guard rest.count == 1, let file = rest.first else {
                throw Mistake(sentence: "run performs one scenario; \(rest.count) were given")
            }
            return .run(file: file)
        case "init":
            let starts = try takeValues(of: "--at", "a moment", from: &rest)
            guard rest.count == 1, let file = rest.first, starts.count <= 1 else {
                throw Mistake(sentence: "init makes a store of one .storekit file; \(rest.count) were given")
            }
            return .initialize(file: file, start: try starts.first.map(moment))
        case "names":
            let kinds = ScenarioValueKind.named
            guard rest.count == 1, let kind = kinds.first(where: { $0.noun == rest.first }) else {
                let nouns = kinds.compactMap(\.noun).joined(separator: ", ")
                throw Mistake(sentence: "names are of one kind: \(nouns)")
            }
            return .names(kind)
        default:
            return .command(asksForHelp ? ["help", name] : [name] + rest)
        }
    }

    /// Removes an option without a value before `--`, and returns whether it was present.
    static func takeFlag(_ option: String, from arguments: inout ArraySlice<String>) -> Bool {
        let options = arguments.prefix { $0 != "--" }
        let kept = options.filter { $0 != option }
        arguments = (kept + arguments.dropFirst(options.count))[...]
        return kept.count < options.count
    }
}
