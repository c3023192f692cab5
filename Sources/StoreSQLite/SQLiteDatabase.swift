import Foundation
import StoreCore

/// A file that durably stores a sandbox store and a queue's pending commands, even if the process crashes.
///
/// ```swift
/// let database = try SQLiteDatabase(at: folder.appending(path: "store.sqlite"))
/// let store = try SandboxStore(products: products, ledger: database.ledger)
/// let queue = SKPaymentQueue(backend: store, journal: database.journal)
/// ```
///
/// The ledger and the journal can be used separately: a journal for a queue on another backend, or a ledger for a store
/// that queues of other processes reach over a socket.
///
/// The file has one user at a time. While a database is open, another database that opens the file waits, and is then
/// refused. The file is closed by ``close()``, or when the database, its ledger and its journal have been released.
///
/// A new file can be read and written only by its owner, whatever the umask. An existing file keeps its permissions,
/// and so does its log.
///
/// The file and its log must not be moved while the database is open. Each commit checks that neither was deleted,
/// moved, replaced or truncated. If one was, every later use fails with ``SQLiteDatabaseError/Code/fileLost``. A copy
/// of an open file is complete only with a copy of its log from the same moment.
///
/// A damaged file is refused with ``SQLiteDatabaseError/Code/damaged`` when it is opened or when the damaged part is
/// read, and is left unchanged. Restore a backup: no part of the file is repaired or skipped, since later records
/// depend on earlier ones. The only exception is a damaged snapshot, whose loss costs time but no data.
///
/// All methods may be called from any thread. Concurrent writes are committed together, with one wait for the disk.
public final class SQLiteDatabase: Sendable {
    /// The condition that a commit waits for.
    public enum Durability: Hashable, Sendable {
        /// The disk has stored the data: it survives a power failure.
        case full
        /// The operating system has the data: it survives a crash of the process.
        ///
        /// A power failure may lose the last commits, but does not damage the file.
        case normal
    }

    /// The ledger in which a `SandboxStore` records every change.
    public let ledger: any Ledger
    /// The journal in which an `SKPaymentQueue` stores the commands that its store has not acknowledged.
    public let journal: any QueueJournal
    private let core: DatabaseCore

    /// Opens a file, or creates it.
    ///
    /// A file that is not a database of this module, or that a newer version has written, is refused; the file and its
    /// log are not changed. A file of an older version is migrated.
    ///
    /// - Parameters:
    ///   - file: a file URL; any other URL is refused. The log is next to the file and has the same name with `-wal`
    ///     appended.
    ///   - durability: the condition that a commit waits for.
    ///   - patience: the seconds to wait for another database, in this or another process, that has the file open. With
    ///     0 or less, the file is refused at once.
    ///   - lane: the lane on which a queue calls a store on this ledger. By default it is not the app's calling thread,
    ///     so no app waits for the disk, and commands that are added while the disk is busy are committed together.
    ///   - log: receives a line for a snapshot that could not be read, and for files that were lost. The log may call
    ///     the database. It must not call a store on the ledger or a queue on the journal, since they wait for the
    ///     operation that logs.
    /// - Throws: ``SQLiteDatabaseError``.
    public convenience init(
        at file: URL,
        durability: Durability = .full,
        patience: TimeInterval = 5,
        lane: BackendLane = .background,
        log: StoreLog = .standardError
    ) throws {
        try self.init(at: file, durability: durability, patience: patience, lane: lane, log: log, fileSystem: nil)
    }

    /// Opens a file with one of SQLite's registered file systems, given by its name.
    package init(
        at file: URL,
        durability: Durability,
        patience: TimeInterval,
        lane: BackendLane,
        log: StoreLog,
        fileSystem: String?
    ) throws {
        core = try DatabaseCore(file, durability.policy, patience: patience, log: log, fileSystem: fileSystem)
        ledger = try SQLiteLedger(core, lane: lane)
        journal = SQLiteJournal(core)
    }

    /// Reads the whole file, and returns its inconsistencies, one per line; empty for a sound file.
    ///
    /// Call this method on a database that was just opened: once damage has been found, every use is refused.
    ///
    /// The time is proportional to the size of the file. All other users of the file wait.
    ///
    /// - Throws: ``SQLiteDatabaseError``.
    public func check() throws -> [String] { try core.check() }

    /// Closes the file; another process can open it afterwards.
    ///
    /// The method waits for the reads and writes in progress. Files that were lost while they were open are not
    /// changed.
    ///
    /// Later uses fail with ``SQLiteDatabaseError/Code/closed``. A store on the ledger then makes its queues retry
    /// later. A queue on the journal fails each purchase that its store does not accept at once, since it cannot record
    /// the purchase. Commands that were recorded before remain in the file.
    public func close() { core.close() }
}

extension SQLiteDatabase.Durability {
    fileprivate var policy: CommitPolicy {
        switch self {
        case .full: .full
        case .normal: .normal
        }
    }
}
