import Foundation
import StoreCore

/// A file that keeps a store, and what a queue has under way, through the death of the process.
///
/// ```swift
/// let database = try StoreDatabase(at: folder.appending(path: "store.sqlite"))
/// let store = try SandboxStore(products: products, ledger: database.ledger)
/// let queue = SKPaymentQueue(backend: store, journal: database.journal)
/// ```
///
/// Either may be used without the other: a journal for a queue on another backend, or a ledger for a store that other
/// processes' queues reach by a wire.
///
/// The file has one user at a time. While a database is open, every other process that opens it waits, and is then
/// refused. It is closed when the last of the database, its ledger and its journal is let go, or by ``close()``.
///
/// A new file can be read and written by its owner only, whatever the umask. One that exists keeps its permissions, and the
/// log beside it has the same.
///
/// The file and its log have to stay where they are while the database is open. Before each commit it is checked that neither
/// was deleted, moved, replaced or truncated; if one was, everything fails with ``StoreDatabaseError/Code/fileLost`` from then
/// on. A copy of an open file is complete only with a copy of its log, taken at the same moment.
///
/// Any thread may call anything. Writes that come while the disk is busy are written together, with one wait for the disk.
public final class StoreDatabase: Sendable {
    /// What a commit waits for.
    public enum Durability: Hashable, Sendable {
        /// That the disk has it: what was committed survives a power failure.
        case full
        /// That the system has it: what was committed survives the death of the process; a power failure may take the
        /// last commits, and leaves the rest sound.
        case normal
    }

    /// Where a `SandboxStore` keeps everything that ever changed.
    public let ledger: any Ledger
    /// Where an `SKPaymentQueue` keeps what its store has not acknowledged.
    public let journal: any QueueJournal
    private let core: DatabaseCore

    /// Opens a file, or makes it.
    ///
    /// A file that is no database of this module's, or that a newer version wrote, is refused and left as it is, and so is the
    /// log beside it. One of an older version is brought up to date.
    ///
    /// - Parameters:
    ///   - file: where it lies; a URL that is no file's is refused. Beside it lies another, of the same name and `-wal`,
    ///     which belongs to it.
    ///   - durability: what a commit waits for.
    ///   - patience: how many seconds, from 0, to wait for another process that has it open.
    ///   - lane: where a queue calls a store on this ledger. By default not on the thread that the app called on, so that
    ///     no app waits for the disk, and what is added while the disk is busy is written together.
    ///   - log: hears of every record that could not be read, and of files that were lost. It may call the database, but no
    ///     store on its ledger and no queue on its journal: they wait for what they read or write meanwhile.
    /// - Throws: ``StoreDatabaseError``.
    public convenience init(
        at file: URL,
        durability: Durability = .full,
        patience: TimeInterval = 5,
        lane: BackendLane = .background,
        log: StoreLog = .standardError
    ) throws {
        try self.init(at: file, durability: durability, patience: patience, lane: lane, log: log, fileSystem: nil)
    }

    /// Opens a file in a file system that SQLite knows by a name.
    package init(
        at file: URL,
        durability: Durability,
        patience: TimeInterval,
        lane: BackendLane,
        log: StoreLog,
        fileSystem: String?
    ) throws {
        core = try DatabaseCore(file, durability, patience: patience, log: log, fileSystem: fileSystem)
        ledger = try SQLiteLedger(core, lane: lane)
        journal = SQLiteJournal(core)
    }

    /// The records that could not be read and were set apart, oldest first: those that are in the file, of whenever.
    ///
    /// - Throws: ``StoreDatabaseError``.
    public func damage() throws -> [DamagedRecord] { try core.damage() }

    /// Reads the whole file, and says what does not fit together in it: a line for each thing, none in a sound file.
    ///
    /// A table with a damaged page was put aside, and goes on being found.
    ///
    /// It takes as long as the file is large; whatever else wants the file waits.
    ///
    /// - Throws: ``StoreDatabaseError``.
    public func check() throws -> [String] { try core.check() }

    /// Closes the file, so that another process can have it when this returns.
    ///
    /// It waits for what is being read or written just now. Files that were lost meanwhile are left as they are.
    ///
    /// Whatever uses it afterwards fails with ``StoreDatabaseError/Code/closed``: a store asks its queues to try later,
    /// and none of what they add is lost that was not refused.
    public func close() { core.close() }
}

/// A record that could not be read.
///
/// It is kept beside the others, as it was found, for whoever wants to look at it: in the table `damaged`, or, where SQLite
/// cannot read the page that it was on, in the whole table as it was, which then has a name such as `record_damaged_1`.
public struct DamagedRecord: Hashable, Sendable {
    /// What it was part of.
    public enum Place: String, Hashable, Sendable {
        /// The store's ledger.
        case ledger
        /// The queue's journal.
        case journal
        /// The shortcut past the ledger's older records, which costs time and nothing else.
        case snapshot
    }

    /// What it was part of.
    public let place: Place
    /// Which one it was there.
    public let number: Int
    /// What is wrong with it, in one line.
    public let reason: String
}
