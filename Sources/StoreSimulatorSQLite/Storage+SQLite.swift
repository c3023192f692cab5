import StoreSQLite
import StoreSimulator

extension Storage {
    /// In SQLite files, one for each machine, in the directory for temporary files.
    ///
    /// A crash is a power failure: of what SQLite has not had synchronised some sectors are kept and some lost.
    /// After each the file is checked. The files go with the life.
    ///
    /// Where SQLite's header was missing when this was built, no life begins: see `SQLite.isAvailable`.
    public static let sqlite = sqlite("sqlite", .full)

    /// With commits that wait for nothing, a crash takes what it must not.
    package static let carelessSQLite = sqlite("carelessSQLite", .normal)

    /// On a disk that says of everything that it has been synchronised.
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
