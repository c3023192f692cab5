import Foundation
import StoreCore
import StoreCrypto
import StorePostgres
import StoreSQLite
import StoreScenario
import StoreServer

/// A store with its servers, which goes by the system's clock unless its own is stopped.
///
/// The clock of a store that is not shared may be ahead of the system's clock.
struct StoreService {
    private let database: ServedDatabase
    private let server: StoreServer
    private let folder: URL
    /// Whether the folder is removed at the end.
    private let isFolderTemporary: Bool
    private let traces: ServerTraces?

    /// Opens the database, the folder and the servers.
    ///
    /// - Parameters:
    ///   - options: the options.
    ///   - observer: receives a line for each request and for each post of a notification.
    /// - Throws: an error whose description contains neither a key nor the shared secret.
    init(_ options: ServeOptions, observer: @escaping @Sendable (ServerLogLine) -> Void) throws {
        let isShared = options.store.flatMap(SharedStoreAddress.init) != nil
        // The folder is always named for a store on a database server, whose settings are in it.
        let place = isShared ? options.folder.map { "\($0)/store" } : options.store
        let settings = place.map(SettingsFile.init(beside:))
        isFolderTemporary = options.folder == nil && options.store == nil
        folder =
            if let settings, !isShared { try settings.keyFolder(options.folder) } else {
                options.folder.map { URL(filePath: $0) } ?? SandboxStoreTool.temporaryFolder
            }
        // Keys of a server that does not begin are not left behind.
        var leftover = isFolderTemporary ? folder : nil
        defer { if let leftover { try? FileManager.default.removeItem(at: leftover) } }
        // Created before the API's key, since an authority is created only in an empty folder.
        let authority = try StoreFile.authority(in: folder, now: Date(), readsAll: true)
        var configuration = StoreServer.Configuration()
        configuration.credentials = try StoreServer.Credentials(folder: folder)
        configuration.port = options.port
        configuration.host = options.host ?? configuration.host
        configuration.sharedSecret = try options.sharedSecret ?? options.sharedSecretFile.map(Self.secret(in:))
        configuration.authority = authority
        configuration.notificationURL = options.notificationURL
        configuration.observer = observer
        configuration.maximumReceiptBodySize = options.receiptLimit ?? configuration.maximumReceiptBodySize
        configuration.hasConsole = configuration.isPrivate
        configuration.hasControl = configuration.isPrivate
        if !options.secureHosts.isEmpty {
            configuration.identity = try authority.serverIdentity(for: options.secureHosts, at: Date())
        }
        let database = try ServedDatabase(options.store)
        let clock = try Self.clock(of: database, settings)
        if let isFixed = options.isClockFixed { (clock as? ShiftedClock)?.isRunning = !isFixed }
        let file = options.configuration.map { URL(filePath: $0) }
        let products = file ?? (options.store == nil ? SandboxStoreTool.demoFile : nil)
        let store = try StoreFile.openStore(
            try products.map { try StoreConfiguration(contentsOf: $0) },
            clock: clock,
            ledger: database.ledger,
            signer: try AppStoreSigner(authority, clock: clock, environment: options.environment),
            bundleIdentifier: options.bundleIdentifier,
            appAppleIdentifier: options.appAppleIdentifier
        )
        let performer = ScenarioPerformer(store: store)
        try settings?.restore(performer)
        if !isShared { try settings?.keepKeys(at: clock.now) }
        configuration.controlPerformer = ControlPerformer(performer) { try settings?.keep(performer) }
        server = try StoreServer(store, configuration: configuration)
        self.database = database
        guard let url = server.controlURL, let token = server.controlToken else {
            traces = nil
            leftover = nil
            return
        }
        traces = try ServerTraces(
            ServerFile(control: url.absoluteString, token: Self.path(Self.tokenName(server), in: folder)),
            token: token,
            port: server.port,
            store: database.isShared ? nil : options.store
        )
        leftover = nil
    }

    /// Returns the name of the file with the token of the control interface, which exists while the server runs.
    ///
    /// Several servers may share the folder, and each has a port of its own.
    private static func tokenName(_ server: StoreServer) -> String { "control-\(server.port).token" }

    /// Returns the shared secret in a file: its first line.
    private static func secret(in file: String) throws -> String {
        let data = try InputFile.contents(file) { reason in
            StoreFile.Failure(description: "the shared secret cannot be read from \(file): \(reason)")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw StoreFile.Failure(description: "the shared secret in \(file) is not text in UTF-8")
        }
        guard let line = text.split(whereSeparator: \.isNewline).first, !line.isEmpty else {
            throw StoreFile.Failure(description: "there is no shared secret in \(file)")
        }
        return String(line)
    }

    /// Returns the clock of a store: the system's if several processes may have the store open, otherwise one that can
    /// be moved.
    private static func clock(of database: ServedDatabase, _ settings: SettingsFile?) throws -> any StoreClock {
        if database.isShared { return SystemClock.shared }
        guard let settings, let ledger = database.ledger else { return ShiftedClock() }
        if try settings.isStopped(), let time = try settings.time(of: ledger) {
            return ShiftedClock(startingAt: time, isRunning: false)
        }
        // A reopened store continues from the time to which its clock was moved.
        return ShiftedClock(notBefore: try settings.time(of: ledger, at: Date()))
    }

    /// A line with the servers' URL, key, issuer and root certificate, and lines with the URLs of the control interface
    /// and of the browser console if there are these.
    var text: String {
        let (key, issuer) = (server.credentials.keyIdentifier, server.credentials.issuer)
        return "serving at \(server.url.absoluteString): key \(path("AuthKey_\(key).p8")), issuer \(issuer),"
            + " root \(path("root.pem"))"
            + (server.controlURL.map {
                "\ncontrolled at \($0.absoluteString), by whoever can read the token \(path(Self.tokenName(server)))"
            } ?? "")
            + (server.consoleURL.map { "\nthe store in a browser, for whoever has this address: \($0.absoluteString)" }
                ?? "")
    }

    /// The content of `text` as JSON.
    var json: String {
        let (key, issuer) = (server.credentials.keyIdentifier, server.credentials.issuer)
        let value: JSONValue = [
            "url": .string(server.url.absoluteString), "key": .string(path("AuthKey_\(key).p8")),
            "keyIdentifier": .string(key), "issuer": .string(issuer), "root": .string(path("root.pem")),
            "control": server.controlURL.map { .string($0.absoluteString) } ?? .null,
            "token": server.controlURL.map { _ in .string(path(Self.tokenName(server))) } ?? .null,
            "console": server.consoleURL.map { .string($0.absoluteString) } ?? .null,
        ]
        return value.encoded
    }

    private func path(_ name: String) -> String { Self.path(name, in: folder) }

    private static func path(_ name: String, in folder: URL) -> String {
        folder.appending(path: name).path(percentEncoded: false)
    }

    /// Stops the servers, and closes the database.
    func stop() {
        traces?.remove()
        server.stop()
        database.close()
        if isFolderTemporary { try? FileManager.default.removeItem(at: folder) }
    }
}

/// The database of a served store: a SQLite file, a PostgreSQL server that several processes share, or none.
struct ServedDatabase {
    /// The ledger; nil for a store in memory.
    let ledger: (any Ledger)?
    /// Whether several processes may have the store open.
    let isShared: Bool
    private let closing: () -> Void

    /// Opens a database.
    ///
    /// - Parameter store: the path of a file, or an address for ``SharedStoreAddress``; nil for a store in memory.
    /// - Throws: the errors of the database.
    init(_ store: String?) throws {
        guard let store else {
            (ledger, isShared, closing) = (nil, false, {})
            return
        }
        guard let address = SharedStoreAddress(store) else {
            let database = try Self.database(store)
            (ledger, isShared, closing) = (database.ledger, false, database.close)
            return
        }
        let database = try PostgresDatabase(address.settings)
        ledger = try database.ledger(address.name)
        (isShared, closing) = (true, database.close)
    }

    /// Opens the database in a file.
    ///
    /// - Throws: the errors of the database; ``StoreFile/Failure`` with the server's URL if the store is being served.
    private static func database(_ path: String) throws -> SQLiteDatabase {
        do {
            return try SQLiteDatabase(at: URL(filePath: path))
        } catch let error as SQLiteDatabaseError where error.code == .inUse {
            // Asks the server, since one that was killed leaves its file behind, and the process may be another.
            guard let server = try? ServedStore(beside: path, isJSON: false, patience: 0)?.server else { throw error }
            throw StoreFile.Failure(description: "\(path) is being served at \(server) already: stop that server first")
        }
    }

    func close() { closing() }
}

/// The signals SIGTERM and SIGINT, which are blocked and remain pending until ``wait()``.
///
/// The value has to be created before other threads, which inherit the blocked signals.
struct TerminationSignals {
    private var signals = sigset_t()
    private var earlier = sigset_t()

    /// Blocks the signals.
    init() {
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, &earlier)
    }

    /// Waits for a signal, unless one is pending.
    func wait() {
        var signals = signals
        var number: Int32 = 0
        sigwait(&signals, &number)
    }

    /// Unblocks the signals.
    func restore() {
        var earlier = earlier
        pthread_sigmask(SIG_SETMASK, &earlier, nil)
    }
}
