import Foundation
import StoreCore
import StoreCrypto
import StoreSQLite
import StoreScenario

/// A store in a SQLite file, with its time and its settings in a second file, and its keys in a folder.
///
/// The store's clock stands still. Only commands move it.
struct StoreFile: LocalStore {
    /// The error of a store that cannot be used, in one sentence.
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
    ///   - patience: the number of seconds to wait while another process uses the file.
    /// - Throws: ``Command/Mistake`` if the file does not exist, ``Failure`` if its settings are unreadable, and the errors
    ///   of the database and the store.
    init(opening path: String, patience: TimeInterval = 5) throws {
        let url = try InputFile.url(path, else: "sandbox-store --store \(path) init FILE.storekit makes one")
        let database = try SQLiteDatabase(at: url, patience: patience)
        let settings = SettingsFile(beside: path)
        let time = try settings.time(of: database.ledger)
        let clock = time.map(ManualClock.init(startingAt:)) ?? ManualClock()
        let signer = try Self.signer(beside: path, settings, clock)
        let store = try Self.openStore(nil, clock: clock, ledger: database.ledger, signer: signer)
        self.init(database: database, settings: settings, store: store)
        try settings.restore(performer)
    }

    /// Creates a store in a file that does not exist.
    ///
    /// - Parameters:
    ///   - path: the file's path.
    ///   - configuration: the store's products and settings.
    ///   - start: the store's time; nil for the default of new stores.
    /// - Throws: ``Failure`` if the file exists, ``Command/Mistake`` for a start at which no certificate is valid, and the
    ///   errors of the database and the store.
    init(creating path: String, _ configuration: StoreConfiguration, start: Date?) throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Failure(description: "\(path) exists already; init makes a new store")
        }
        if let start, Libcrypto.isAvailable, start < .startOfRoots {
            let first = "\(Wording.moment(Date.startOfRoots)), the first moment at which a store can sign"
            throw Command.Mistake("--at is \(Wording.moment(start)), before \(first)")
        }
        // Checks before the file is created, so invalid products leave no file behind.
        _ = try SandboxStore(configuration)
        let database = try SQLiteDatabase(at: URL(filePath: path))
        let clock = start.map(ManualClock.init(startingAt:)) ?? ManualClock()
        let settings = SettingsFile(beside: path)
        let signer = try Self.signer(beside: path, settings, clock)
        let store = try Self.openStore(configuration, clock: clock, ledger: database.ledger, signer: signer)
        self.init(database: database, settings: settings, store: store)
        try performer.adopt(configuration.settings)
        try keep()
    }

    private init(database: SQLiteDatabase, settings: SettingsFile, store: SandboxStore) {
        self.database = database
        self.settings = settings
        performer = ScenarioPerformer(store: store)
    }

    /// Does nothing, since a file can save every setting.
    func check(_ step: ScenarioStep) {}

    /// Saves the time and the settings.
    func keep() throws { try settings.keep(performer) }

    /// Closes the database.
    func close() { database.close() }

    // MARK: Shared with serve

    /// Opens a store on a ledger, with the products of a configuration, or with those in the ledger if it is nil.
    static func openStore(
        _ configuration: StoreConfiguration?,
        clock: any StoreClock,
        ledger: (any Ledger)?,
        signer: any ReceiptSigner,
        bundleIdentifier: String = "com.example.app",
        appAppleIdentifier: Int64? = nil
    ) throws -> SandboxStore {
        guard let configuration else {
            return try SandboxStore(
                clock: clock,
                ledger: ledger,
                signer: signer,
                bundleIdentifier: bundleIdentifier,
                appAppleIdentifier: appAppleIdentifier
            )
        }
        return try SandboxStore(
            configuration,
            clock: clock,
            ledger: ledger,
            signer: signer,
            bundleIdentifier: bundleIdentifier,
            appAppleIdentifier: appAppleIdentifier
        )
    }

    /// Opens the authority in a folder of keys, which is created if it does not exist.
    ///
    /// A new root is valid on every date, since the store's time may be any.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - now: the date at which the root has to be valid.
    ///   - readsAll: whether all of its files are read now; a process that may sign nothing reads as few as it can.
    /// - Returns: the authority.
    /// - Throws: a `CryptoError` for a defect of a file.
    static func authority(in folder: URL, now: Date, readsAll: Bool) throws -> CertificateAuthority {
        try CertificateAuthority(folder: folder, now: now, since: .startOfRoots, readsAll: readsAll)
    }

    // MARK: Files

    /// Returns the signer of the store, with which `serve` signs too: one with certificates.
    ///
    /// Without libcrypto, which `serve` needs too, the signer has the key in a file beside the store's file. Such a file
    /// remains when there are certificates, for the verification of earlier receipts.
    private static func signer(
        beside path: String,
        _ settings: SettingsFile,
        _ clock: ManualClock
    ) throws -> any ReceiptSigner {
        guard Libcrypto.isAvailable else { return try keySigner(beside: path) }
        let authority = try authority(in: settings.keyFolder(), now: max(clock.now, Date()), readsAll: false)
        return try AppStoreSigner(authority, clock: clock)
    }

    /// Returns a signer with the key in a file beside the store's file.
    ///
    /// The key's file is created if it does not exist.
    private static func keySigner(beside path: String) throws -> HMACReceiptSigner {
        let file = URL(filePath: "\(path).key")
        if FileManager.default.fileExists(atPath: file.path) {
            let key = try Data(contentsOf: file)
            guard !key.isEmpty else { throw Failure(description: "the key in \(file.path) is empty") }
            return HMACReceiptSigner(key: key)
        }
        let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        // Writes atomically, since a store with an empty key cannot be opened.
        try KeyFolder(file.deletingLastPathComponent()).put(key, to: file, mode: 0o600, isReplacing: false)
        return HMACReceiptSigner(key: key)
    }
}
