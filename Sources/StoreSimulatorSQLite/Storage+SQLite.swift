import StoreSQLite
import StoreSimulator

extension Storage {
    /// Storage in SQLite files, one for each machine, in the directory for temporary files.
    ///
    /// A crash is a power failure: of the sectors that SQLite has not had synchronized some are kept and some lost.
    /// After each crash the file is checked. The files are removed with the run.
    ///
    /// Where SQLite's header was missing when this was built, no run begins: see `SQLite.isAvailable`.
    public static let sqlite = sqlite("sqlite", .full)

    /// A storage whose commits wait for nothing: a crash takes more than it may.
    package static let carelessSQLite = sqlite("carelessSQLite", .normal)

    /// A storage on a disk that falsely reports everything as synchronized.
    package static let lyingSQLite = sqlite("lyingSQLite", .full, isLying: true)

    private static func sqlite(
        _ name: String,
        _ durability: StoreDatabase.Durability,
        isLying: Bool = false
    ) -> Storage {
        #if canImport(CSQLite)
            Storage(name) { seed in try SQLiteStorage(seed: seed, durability, isLying: isLying) }
        #else
            Storage(name) { _ in throw StoreDatabaseError.unavailable }
        #endif
    }
}
