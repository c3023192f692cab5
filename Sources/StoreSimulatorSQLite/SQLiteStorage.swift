#if canImport(CSQLite)
    import Foundation
    import SQLiteFaults
    import StoreCore
    import StoreSQLite
    import StoreSimulator

    /// A database on its own disk, which loses power when the machine crashes.
    final class SQLiteStorage: StableStorage {
        private let folder = TemporaryFolder(for: "simulator")
        private let durability: StoreDatabase.Durability
        private let system = FaultFileSystem()
        private var database: StoreDatabase?
        private var generator: SplitMix64

        init(seed: UInt64, _ durability: StoreDatabase.Durability, isLying: Bool) throws {
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
            let flaws = try database.check() + database.damage().map { "\($0.place) \($0.number): \($0.reason)" }
            guard flaws.isEmpty else { throw Flaws(lines: flaws) }
            return (database.ledger, database.journal)
        }

        private func open() throws -> StoreDatabase {
            try StoreDatabase(
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
