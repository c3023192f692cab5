import Foundation
import SQLiteFaults
import StoreCore
import StoreSQLite

#if canImport(CSQLite)
    /// A database on its own disk, which loses power when the machine crashes.
    final class SQLiteStorage: StableStorage {
        private let folder = TemporaryFolder(for: "simulator")
        private let durability: SQLiteDatabase.Durability
        private let system = FaultFileSystem()
        private var database: SQLiteDatabase?
        private var generator: SplitMix64

        init(seed: UInt64, _ durability: SQLiteDatabase.Durability, isLying: Bool) throws {
            generator = SplitMix64(seed: seed)
            self.durability = durability
            try folder.make()
            // The file's content when a run begins is not undone.
            try open().close()
            system.isLying = isLying
        }

        deinit { remove() }

        func open(isOver: @escaping @Sendable () -> Bool) throws -> (ledger: any Ledger, journal: any QueueJournal) {
            system.cut(when: isOver)
            let database = try open()
            self.database = database
            let flaws = try database.check()
            guard flaws.isEmpty else { throw Flaws(lines: flaws) }
            return (database.ledger, database.journal)
        }

        private func open() throws -> SQLiteDatabase {
            try SQLiteDatabase(
                at: folder.url.appending(path: "store.sqlite"),
                durability: durability,
                patience: 0,
                lane: .caller,
                log: .silent,
                fileSystem: system.name
            )
        }

        /// The patterns of unsynchronized sectors that a crash leaves: some lose everything, some nothing, as a crash
        /// of the process alone does.
        private static let remains: [[Bool]] = [[true], [false], [true, false]]

        func crash() throws {
            system.cut()
            database?.close()
            database = nil
            let remains = Self.remains.randomElement(using: &generator) ?? []
            try system.losePower { remains.randomElement(using: &generator) ?? false }
            system.repair()
        }

        func remove() {
            system.cut()
            database?.close()
            database = nil
            folder.remove()
        }
    }

    /// The inconsistencies of a file after a crash.
    private struct Flaws: Error, CustomStringConvertible {
        let lines: [String]
        var description: String { "the file is damaged: \(lines.joined(separator: "; "))" }
    }
#endif

extension Storage {
    /// Storage in SQLite files, one for each machine, in the directory for temporary files.
    ///
    /// A crash is a power failure: of the sectors that SQLite has not had synchronized some are kept and some lost.
    /// After each crash the file is checked. The files are removed with the run.
    ///
    /// Where SQLite's header was missing when this was built, no run begins: see `SQLite.isAvailable`.
    package static let sqlite = sqlite("sqlite", .full)

    /// A storage whose commits wait for nothing: a crash takes more than it may.
    package static let carelessSQLite = sqlite("carelessSQLite", .normal)

    /// A storage on a disk that falsely reports everything as synchronized.
    package static let lyingSQLite = sqlite("lyingSQLite", .full, isLying: true)

    private static func sqlite(
        _ name: String,
        _ durability: SQLiteDatabase.Durability,
        isLying: Bool = false
    ) -> Storage {
        #if canImport(CSQLite)
            Storage(name) { seed in try SQLiteStorage(seed: seed, durability, isLying: isLying) }
        #else
            Storage(name) { _ in throw SQLiteDatabaseError.unavailable }
        #endif
    }
}
