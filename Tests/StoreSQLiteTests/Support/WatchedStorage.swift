import Foundation
import ModelSimulator
import StoreCore
import StoreSQLite

/// A storage in a file that tells whenever a store begins on a snapshot.
final class WatchedStorage: StableStorage {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "WatchedStorage-\(UUID())")
    private let opened: @Sendable () -> Void
    private var database: SQLiteDatabase?

    init(opened: @escaping @Sendable () -> Void) throws {
        self.opened = opened
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func open(isOver: @escaping @Sendable () -> Bool) throws -> (ledger: any Ledger, journal: any QueueJournal) {
        let database = try SQLiteDatabase(
            at: folder.appending(path: "store.sqlite"),
            durability: .normal,
            lane: .caller,
            log: .silent
        )
        self.database = database
        guard let ledger = database.ledger as? any DurableLedger else { return (database.ledger, database.journal) }
        return (WatchedLedger(ledger, began: opened), database.journal)
    }

    func crash() {
        database?.close()
        database = nil
    }

    func remove() {
        crash()
        try? FileManager.default.removeItem(at: folder)
    }
}
