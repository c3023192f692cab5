import Foundation
import StoreCore
import StoreCrypto
import StoreSQLite
import StoreScenario

/// A store in a SQLite file that outlasts the process: its time and its settings are stored beside the ledger.
///
/// The store's clock stands still between processes, and moves by commands only.
struct StoreFile: KeptStore {
    /// The error of a file that cannot be used, with a sentence.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let performer: ScenarioPerformer
    private let database: SQLiteDatabase
    private let settings: SettingsFile

    /// Opens the store in a file.
    ///
    /// - Parameters:
    ///   - path: the file's path.
    ///   - patience: the seconds to wait for another process that uses the file.
    /// - Throws: ``Failure`` if there is no such file, or the state beside it cannot be read, and the errors of the
    ///   database and the store.
    init(opening path: String, patience: TimeInterval = 5) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw Failure(
                description: "there is no store in \(path); sandbox-store --store \(path) init FILE.storekit makes one"
            )
        }
        let database = try SQLiteDatabase(at: URL(filePath: path), patience: patience)
        let settings = SettingsFile(beside: path)
        let time = try settings.time(of: database.ledger)
        let clock = time.map(ManualClock.init(startingAt:)) ?? ManualClock()
        let store = try Self.openStore(nil, clock: clock, ledger: database.ledger, signer: Self.signer(beside: path))
        self.init(database: database, settings: settings, store: store)
        try settings.restore(performer)
    }

    /// Creates a store in a file that does not exist.
    ///
    /// - Parameters:
    ///   - path: the file's path.
    ///   - configuration: the store's products and settings.
    ///   - start: the store's time; the default of new stores, if nil.
    /// - Throws: ``Failure`` if the file exists, and the errors of the database and the store.
    init(creating path: String, _ configuration: StoreConfiguration, start: Date?) throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Failure(description: "\(path) exists already; init makes a new store")
        }
        // Checked first, so that invalid products leave no file behind.
        _ = try SandboxStore(configuration)
        let database = try SQLiteDatabase(at: URL(filePath: path))
        let clock = start.map(ManualClock.init(startingAt:)) ?? ManualClock()
        let signer = try Self.signer(beside: path)
        let store = try Self.openStore(configuration, clock: clock, ledger: database.ledger, signer: signer)
        self.init(database: database, settings: SettingsFile(beside: path), store: store)
        try performer.adopt(configuration.settings)
        try keep()
    }

    private init(database: SQLiteDatabase, settings: SettingsFile, store: SandboxStore) {
        self.database = database
        self.settings = settings
        performer = ScenarioPerformer(store: store)
    }

    /// Does nothing, since everything can be saved.
    func check(_ step: ScenarioStep) {}

    /// Saves what the ledger does not store.
    func keep() throws { try settings.keep(performer) }

    /// Closes the file.
    func close() { database.close() }

    // MARK: Shared with serve

    /// Opens a store on a ledger, with the products of a file if there is one, else those in the ledger.
    static func openStore(
        _ configuration: StoreConfiguration?,
        clock: any StoreClock,
        ledger: any Ledger,
        signer: any ReceiptSigner,
        bundleIdentifier: String = "com.example.app"
    ) throws -> SandboxStore {
        guard let configuration else {
            return try SandboxStore(clock: clock, ledger: ledger, signer: signer, bundleIdentifier: bundleIdentifier)
        }
        return try SandboxStore(
            configuration,
            clock: clock,
            ledger: ledger,
            signer: signer,
            bundleIdentifier: bundleIdentifier
        )
    }

    // MARK: Files

    /// Returns the signer with the key beside a store's file, and creates the key if it does not exist.
    private static func signer(beside path: String) throws -> HMACReceiptSigner {
        let file = file(beside: path, "key")
        if FileManager.default.fileExists(atPath: file.path) {
            let key = try Data(contentsOf: file)
            guard !key.isEmpty else { throw Failure(description: "the key in \(file.path) is empty") }
            return HMACReceiptSigner(key: key)
        }
        let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        // Atomically: an empty key would prevent the store from being opened.
        try KeyFolder(file.deletingLastPathComponent()).put(key, to: file, mode: 0o600, isReplacing: false)
        return HMACReceiptSigner(key: key)
    }

    private static func file(beside path: String, _ name: String) -> URL { URL(filePath: "\(path).\(name)") }
}
