import Foundation
import StoreCore

/// A PostgreSQL database that keeps stores which several processes and machines share, and queues' pending commands.
///
/// ```swift
/// let database = try PostgresDatabase("host=db dbname=shop")
/// let store = try SandboxStore(products: products, clock: SystemClock.shared, ledger: database.ledger("staging"))
/// ```
///
/// Every process opens a store of its own on the ledger. Whichever decides first appends; the others read what it has
/// appended, and tell their queues. The database itself refuses a second record at one position. Many stores live in one
/// database, each under its name.
///
/// A purchase is told only after its commit: with `synchronous_commit = on`, which is PostgreSQL's default, it is then on
/// the server's disk, and on that of its synchronous standbys. A commit whose answer was lost is looked up on the next
/// connection, by its writer and position.
///
/// While the database is away, calls wait for it (``Options/patience``) and then fail with a sentence; queues keep their
/// commands and send them again.
///
/// The connection goes straight to the server: a pool that shares sessions between clients breaks notifications and
/// prepared statements. Each object holds two connections. They are closed when the last of the database, its ledgers
/// and its journals is released, or by ``close()``. All methods may be called from any thread.
public final class PostgresDatabase: Sendable {
    private let core: DatabaseCore

    /// Connects to a database, and creates or migrates StoreCore's tables.
    ///
    /// A role that may not create tables is enough where they exist. It needs `SELECT` and `INSERT` on them, `USAGE` on
    /// their schema, and the functions for advisory locks, which everybody may call unless that was revoked; with `DELETE`
    /// on `snapshot`, `command`, `forgotten` and `opening` it removes what is obsolete.
    ///
    /// - Parameters:
    ///   - settings: the connection's settings as libpq takes them, `host=db dbname=shop` or `postgresql://db/shop`. What
    ///     they leave out comes from the environment (`PGHOST` and others), from a service file and a password file.
    ///   - options: choices that are not libpq's.
    ///   - log: receives a line when the database goes away or comes back, when it has lost records of a store, and for
    ///     every record that cannot be read. It may not call the database.
    /// - Throws: ``PostgresDatabaseError``.
    public init(
        _ settings: String = "",
        options: Options = Options(),
        log: StoreLog = .standardError
    ) throws {
        core = try DatabaseCore(settings, options, log: log)
    }

    /// Returns the ledger of a store, which is created if there is none of that name.
    ///
    /// - Parameters:
    ///   - name: the store's name, from 1 to 200 bytes.
    ///   - lane: the lane on which a queue calls a store on this ledger. By default not the thread that the app called
    ///     on, so that no app waits for the network, and what is added meanwhile is committed together.
    /// - Returns: the ledger, which keeps the connections open.
    /// - Throws: ``PostgresDatabaseError``.
    public func ledger(_ name: String, lane: BackendLane = .background) throws -> any SharedLedger {
        try PostgresLedger(core, name, lane: lane)
    }

    /// Returns the journal of a queue, which is created if there is none of that name.
    ///
    /// A journal belongs to one device. Opening it in another process silences the queue that has it.
    ///
    /// - Parameter name: the journal's name, from 1 to 200 bytes.
    /// - Returns: the journal, which keeps the connections open.
    /// - Throws: ``PostgresDatabaseError``.
    public func journal(_ name: String) throws -> any QueueJournal { try PostgresJournal(core, name) }

    /// Returns the names of all stores, in alphabetical order.
    ///
    /// - Throws: ``PostgresDatabaseError``.
    public func stores() throws -> [String] { try core.stores() }

    /// Removes a store with all its records, and does nothing if there is none of that name.
    ///
    /// Only a role with `DELETE` on all tables may do it. Stores on its ledger have to be closed before, in all
    /// processes: what they append afterwards belongs to no store.
    ///
    /// - Throws: ``PostgresDatabaseError``.
    public func removeStore(_ name: String) throws { try core.removeStore(name) }

    /// Removes the journal of a device that is gone, with its commands, and does nothing if there is none of that name.
    ///
    /// Needs the right to delete from its tables.
    ///
    /// - Throws: ``PostgresDatabaseError``.
    package func removeJournal(_ name: String) throws { try core.removeJournal(name) }

    /// Reads all records of a store, and returns its inconsistencies: a line for each, none in a sound one.
    ///
    /// The time grows with the number of records; they are read in pieces, and others are served between them.
    ///
    /// - Throws: ``PostgresDatabaseError``.
    public func check(_ name: String) throws -> [String] { try core.check(name) }

    /// Numbers to watch.
    public var statistics: Statistics { core.statistics.withLock { $0 } }

    /// Closes the connections.
    ///
    /// Whatever uses the database afterwards fails with ``PostgresDatabaseError/Code/closed``. What waits for the database to
    /// come back stops waiting; a statement under way is waited for, ``Options/responseTime`` at the most.
    public func close() { core.close() }
}

extension PostgresDatabase {
    /// Choices that are not libpq's.
    public struct Options: Sendable {
        /// The schema that has StoreCore's tables: `storecore`.
        ///
        /// Tests and stages that share a database have one each.
        public var schema = "storecore"
        /// The time that a call waits for a database that is away, in seconds: 5.
        ///
        /// With 0 a purchase fails at once, with a sentence, and the queue sends it again later; a server that is silent takes
        /// up to ``responseTime`` to be noticed. A longer time bridges a failover, and whoever asks the store waits that long
        /// while the database is away.
        public var patience: TimeInterval = 5
        /// The time that the server has for one answer, in seconds: 10.
        ///
        /// A connection without one counts as lost.
        public var responseTime: TimeInterval = 10
        /// The longest time after which a lost notification is made up for, in seconds: 60.
        public var pollInterval: TimeInterval = 60
        /// The least number of records between two snapshots of a store: 1,024.
        public var snapshotDistance = 1024
        /// The time after which the server ends the session of a process that stops in its turn to append, in seconds: 2.
        package var turnTime: TimeInterval = 2
        /// The time that an append waits for its turn before it goes on without one, in seconds: 0.5, and no more than half of
        /// ``responseTime``.
        package var turnPatience: TimeInterval = 0.5

        /// Creates the default choices.
        public init() {}
    }
}

extension PostgresDatabase {
    /// Numbers to watch, counted since the database was opened.
    public struct Statistics: Hashable, Sendable {
        /// Whether there is a connection for reading and writing.
        public internal(set) var isConnected = false
        /// Whether there is a connection that hears of other processes' records.
        public internal(set) var isListening = false
        /// The number of connections that were opened.
        ///
        /// Each but the first made up for a lost one.
        public internal(set) var connections = 0
        /// The number of transactions that were committed.
        public internal(set) var commits = 0
        /// The number of writes in them.
        ///
        /// Writes that came while another was under way share a transaction.
        public internal(set) var writes = 0
        /// The number of appends that found another process's record in their place.
        public internal(set) var conflicts = 0
        /// The number of notifications that other processes sent.
        public internal(set) var notifications = 0
        /// The number of snapshots that were written.
        public internal(set) var snapshots = 0
    }
}
