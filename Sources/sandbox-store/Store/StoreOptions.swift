import Foundation
import StoreScenario

/// The options of the commands that act on a store.
struct StoreOptions: Equatable {
    /// The work on the store.
    enum Work: Equatable {
        /// Performs the words of a command.
        case command([String])
        /// Performs the scenario in a file.
        case run(file: String)
        /// Prints the names that are valid for a kind of word.
        case names(ScenarioValueKind)
        /// Sends a notification of a served store once more.
        case resend(notification: String)
        /// Creates a store from a `.storekit` file; the store's time begins at `start`.
        case initialize(file: String, start: Date?)
    }

    var work: Work
    /// The file of the store, or its `postgresql://` URL; nil for a store in memory or of a server.
    var store: String?
    /// The control interface of the server that has the store.
    var server: URL?
    /// The file with the server's token.
    var token: String?
    /// The `.storekit` file of a store in memory, or of a shared one.
    ///
    /// Nil for the file in the package, or, for a shared store, the products in its ledger.
    var configuration: String?
    var isJSON = false
}

extension StoreOptions {
    init(_ arguments: CommandArguments, _ work: Work) throws {
        self.work = work
        store = arguments["--store"]
        server = try arguments.value(of: "--server", ControlClient.url)
        token = arguments["--token"]
        configuration = arguments["--storekit"]
        isJSON = arguments.has("--json")
        if configuration != nil, let store, SharedStoreAddress(store) == nil {
            let sentence = "a store in a file keeps its products: --store and --storekit do not go together"
            throw Command.Mistake(sentence, arguments.row)
        }
        if server != nil, store != nil || configuration != nil {
            let option = store == nil ? "--storekit" : "--store"
            let sentence = "a server has its own store: --server and \(option) do not go together"
            throw Command.Mistake(sentence, arguments.row)
        }
        if token != nil, server == nil { throw Command.Mistake("--token goes with --server", arguments.row) }
    }
}
