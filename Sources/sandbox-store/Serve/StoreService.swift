import Foundation
import StoreCore
import StoreCrypto
import StorePostgres
import StoreSQLite
import StoreScenario
import StoreServer

/// A store in a file or on a database server, and the servers for it, on the system's clock; in a file, also ahead of it.
struct StoreService {
    private let database: ServedDatabase
    private let server: StoreServer
    private let folder: URL

    /// Opens the database, the folder and the servers.
    ///
    /// Throws an error with a sentence that holds neither a key nor the shared secret.
    init(_ options: ServeOptions) throws {
        folder = URL(filePath: options.folder)
        // Before the API's key: an authority makes itself only in a folder that has nothing else.
        let authority = try CertificateAuthority(folder: folder, now: Date())
        var configuration = StoreServer.Configuration()
        configuration.credentials = try StoreServer.Credentials(folder: folder)
        configuration.port = options.port
        configuration.host = options.host ?? configuration.host
        configuration.sharedSecret = options.sharedSecret
        configuration.notificationURL = options.notificationURL
        configuration.maximumReceiptBodySize = options.receiptLimit ?? configuration.maximumReceiptBodySize
        configuration.hasConsole = configuration.isPrivate
        if !options.secureHosts.isEmpty {
            configuration.identity = try authority.serverIdentity(for: options.secureHosts, at: Date())
        }
        let database = try ServedDatabase(options.store, folder: folder)
        let (ledger, settings) = (database.ledger, SettingsFile(beside: database.place))
        let clock = try Self.clock(of: database, settings)
        let signer = try AppStoreSigner(authority, clock: clock)
        let store = try StoreFile.openStore(
            try options.configuration.map { try StoreConfiguration(contentsOf: URL(filePath: $0)) },
            clock: clock,
            ledger: ledger,
            signer: signer,
            bundleIdentifier: options.bundleIdentifier
        )
        let performer = ScenarioPerformer(store: store)
        try settings.restore(performer)
        configuration.consolePerformer = ConsolePerformer(performer) { try settings.keep(performer) }
        server = try StoreServer(store, configuration: configuration)
        self.database = database
    }

    /// Returns the clock of a store: where other processes have it open too, one that nobody moves.
    private static func clock(of database: ServedDatabase, _ settings: SettingsFile) throws -> any StoreClock {
        if database.isShared { return SystemClock.shared }
        // A clock that was moved ahead does not fall back when the store is opened again.
        return ShiftedClock(notBefore: try settings.time(of: database.ledger, at: Date()))
    }

    /// Where the servers are, and what their clients need, in one line; in a second one where the page for browsers is.
    var text: String {
        let (key, issuer) = (server.credentials.keyIdentifier, server.credentials.issuer)
        return "serving at \(server.url.absoluteString): key \(path("AuthKey_\(key).p8")), issuer \(issuer),"
            + " root \(path("root.pem"))"
            + (server.consoleURL.map { "\nthe store in a browser, for whoever has this address: \($0.absoluteString)" }
                ?? "")
    }

    /// The same as JSON.
    var json: String {
        let (key, issuer) = (server.credentials.keyIdentifier, server.credentials.issuer)
        let value: JSONValue = [
            "url": .string(server.url.absoluteString), "key": .string(path("AuthKey_\(key).p8")),
            "keyIdentifier": .string(key), "issuer": .string(issuer), "root": .string(path("root.pem")),
            "console": server.consoleURL.map { .string($0.absoluteString) } ?? .null,
        ]
        return value.encoded
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    /// Stops the servers, then closes the database.
    func stop() {
        server.stop()
        database.close()
    }
}

/// The database of a store that is served: a file of this machine's, or a PostgreSQL server that several machines share.
struct ServedDatabase {
    let ledger: any Ledger
    /// The path beside which is kept what the ledger does not keep.
    let place: String
    /// Whether other processes may have the store open too.
    let isShared: Bool
    private let closing: () -> Void

    /// Opens the database that `--store` names.
    ///
    /// - Parameters:
    ///   - store: a file's path, or what ``SharedStoreAddress`` reads.
    ///   - folder: the folder that has this process's keys, and its settings where the store is on a server.
    /// - Throws: the errors of the database.
    init(_ store: String, folder: URL) throws {
        guard let address = SharedStoreAddress(store) else {
            let database = try SQLiteDatabase(at: URL(filePath: store))
            (ledger, place, isShared, closing) = (database.ledger, store, false, database.close)
            return
        }
        let database = try PostgresDatabase(address.settings)
        ledger = try database.ledger(address.name)
        place = folder.appending(path: "store").path(percentEncoded: false)
        (isShared, closing) = (true, database.close)
    }

    func close() { closing() }
}

/// SIGTERM and SIGINT, held back until they are waited for: one that comes while a server opens is not lost, and ends nothing
/// in the middle.
///
/// To be made before any thread that should not get them.
struct TerminationSignals {
    private var signals = sigset_t()
    private var earlier = sigset_t()

    /// Holds the signals back.
    init() {
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, &earlier)
    }

    /// Waits for one of them, or returns at once if one has come.
    func wait() {
        var signals = signals
        var number: Int32 = 0
        sigwait(&signals, &number)
    }

    /// Lets them through again.
    func restore() {
        var earlier = earlier
        pthread_sigmask(SIG_SETMASK, &earlier, nil)
    }
}
