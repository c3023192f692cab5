import Foundation
import StoreCore

/// A file that stores a sandbox store, and a queue's pending commands, durably across a crash of the process.
///
/// ```swift
/// let database = try SQLiteDatabase(at: folder.appending(path: "store.sqlite"))
/// let store = try SandboxStore(products: products, ledger: database.ledger)
/// let queue = SKPaymentQueue(backend: store, journal: database.journal)
/// ```
///
/// The ledger and the journal can be used without each other: a journal for a queue on another backend, or a ledger for
/// a store that queues of other processes reach over a socket.
///
/// The file has one user at a time: while a database is open, another one that opens the file waits, and is then
/// refused. The file is closed by ``close()``, or when the database, its ledger and its journal have been released.
///
/// Only its owner can read and write a new file, whatever the umask. An existing file and its log retain its
/// permissions.
///
/// The file and its log must not be moved while the database is open. Each commit checks that neither was deleted,
/// moved, replaced or truncated; if one was, every use fails with ``SQLiteDatabaseError/Code/fileLost`` from then on. A
/// copy of an open file is complete only with a copy of its log from the same moment.
///
/// A damaged file is refused with ``SQLiteDatabaseError/Code/damaged``, when it is opened or when the damaged part is
/// read, and left as it is. Nothing of it is repaired or skipped, since later records depend on earlier ones: restore a
/// backup. Only a damaged snapshot is skipped, since its loss costs time but no data.
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
    /// A file that is not a database of this module, or that a newer version wrote, is refused and not changed, nor is
    /// its log. A file of an older version is migrated.
    ///
    /// - Parameters:
    ///   - file: a file URL; any other is refused. The file has a log next to it, with the same name and `-wal`.
    ///   - durability: the condition that a commit waits for.
    ///   - patience: the seconds to wait, from 0, for another process that has the file open.
    ///   - lane: the lane on which a queue calls a store on this ledger. By default not the app's calling thread, so
    ///     that no app waits for the disk, and commands that are added while the disk is busy are committed together.
    ///   - log: receives a line for a snapshot that could not be read, and for files that were lost. The log may call
    ///     the database, but neither a store on its ledger nor a queue on its journal, which wait for the read or write
    ///     that logs.
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

    /// Reads the whole file, and returns its inconsistencies: a line for each, none for a sound file.
    ///
    /// Call it on a database that was just opened: once damage has been found, every use is refused.
    ///
    /// The time is proportional to the size of the file; all other users of the file wait.
    ///
    /// - Throws: ``SQLiteDatabaseError``.
    public func check() throws -> [String] { try core.check() }

    /// Closes the file, so that another process can open it when this returns.
    ///
    /// It waits for the reads and writes in progress. Files that were lost meanwhile are not changed.
    ///
    /// Later uses fail with ``SQLiteDatabaseError/Code/closed``: a store then makes its queues retry later, so that no
    /// command is lost except those that it refused.
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
