import Foundation
import StoreCore
import StorePostgres
import StoreScenario

/// A store on a database server, which several processes may have open.
///
/// The store uses the system's clock, which no command moves. Settings that the ledger does not store belong to one
/// process.
struct SharedStore: LocalStore {
    let performer: ScenarioPerformer
    private let database: PostgresDatabase
    /// Whether ``check(_:)`` refuses settings that would not outlast the process.
    private let mustKeep: Bool

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - address: the server and the store's name.
    ///   - configuration: the products and settings with which other processes open the store; nil for those in the
    ///     ledger.
    ///   - patience: the number of seconds to wait for an unreachable server.
    ///   - mustKeep: whether ``check(_:)`` refuses settings that the ledger does not store.
    /// - Throws: ``StoreFile/Failure`` if the store does not exist, and the errors of the database and the store.
    init(
        opening address: SharedStoreAddress,
        _ configuration: StoreConfiguration?,
        patience: TimeInterval,
        mustKeep: Bool
    ) throws {
        let database = try Self.connect(address, patience: patience)
        guard try database.stores().contains(address.name) else {
            throw StoreFile.Failure(
                description: "there is no store \(address.name) in the database; init FILE.storekit makes one"
            )
        }
        try self.init(database, database.ledger(address.name, lane: .caller), configuration, mustKeep: mustKeep)
    }

    /// Creates a store with the products of a configuration.
    ///
    /// - Throws: ``StoreFile/Failure`` if the store exists, and the errors of the database and the store.
    init(creating address: SharedStoreAddress, _ configuration: StoreConfiguration) throws {
        // Checks before the ledger is created, so invalid products leave no ledger behind.
        _ = try SandboxStore(configuration)
        let database = try Self.connect(address, patience: 5)
        // A ledger without records remains from an earlier attempt that failed.
        let ledger = try database.ledger(address.name, lane: .caller)
        guard try ledger.head == 0 else {
            throw StoreFile.Failure(description: "the store \(address.name) exists already; init makes a new store")
        }
        try self.init(database, ledger, configuration, mustKeep: false)
    }

    private init(
        _ database: PostgresDatabase,
        _ ledger: any Ledger,
        _ configuration: StoreConfiguration?,
        mustKeep: Bool
    ) throws {
        self.database = database
        self.mustKeep = mustKeep
        let store = try StoreFile.openStore(
            configuration,
            clock: SystemClock.shared,
            ledger: ledger,
            signer: HMACReceiptSigner()
        )
        performer = ScenarioPerformer(store: store)
    }

    private static func connect(_ address: SharedStoreAddress, patience: TimeInterval) throws -> PostgresDatabase {
        var options = PostgresDatabase.Options()
        options.patience = patience
        // Only shell completion has no patience.
        if patience == 0 { options.responseTime = 2 }
        return try PostgresDatabase(address.settings, options: options, log: .silent)
    }

    func check(_ step: ScenarioStep) throws {
        guard mustKeep, step.command.isSetting else { return }
        let reason = "each process has its own, and this one ends: set it in the page of a process that serves"
        throw StoreFile.Failure(description: "\(step.command.name): \(reason)")
    }

    /// Does nothing, since settings that the ledger does not store end with the process.
    func keep() {}

    func close() { database.close() }
}

/// The address of a store on a database server: a `postgresql://` URL with the store's name as its fragment.
struct SharedStoreAddress: Equatable {
    /// The connection settings, which may contain a password.
    let settings: String
    /// The name of the store; `store` if the URL has no fragment.
    let name: String

    /// Parses an address; nil for the path of a file.
    init?(_ text: String) {
        guard ["postgresql://", "postgres://"].contains(where: text.hasPrefix) else { return nil }
        // A password, which libpq expects before the first slash, may contain a number sign.
        let authority = text.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
        let user = authority.firstIndex(of: "@") ?? text.startIndex
        let end = text[user...].firstIndex(of: "#") ?? text.endIndex
        settings = String(text[..<end])
        let name = end < text.endIndex ? String(text[text.index(after: end)...]) : "store"
        self.name = name.removingPercentEncoding ?? name
    }
}
