import Foundation
import StoreCore

/// A PostgreSQL database for stores that several processes and machines share, and for queues' pending commands.
///
/// ```swift
/// let database = try PostgresDatabase("host=db dbname=shop")
/// let store = try SandboxStore(products: products, clock: SystemClock.shared, ledger: database.ledger("staging"))
/// ```
///
/// Every process opens its own store on the ledger. The process that decides first appends its records; the others read
/// them and notify their queues. The database refuses a second record at the same position. One database can contain
/// many stores, each under its name.
///
/// A purchase is reported only after its commit. With `synchronous_commit = on`, PostgreSQL's default, the purchase is
/// then on the disks of the server and of its synchronous standbys. After a lost reply, the commit is looked up on the
/// next connection, by its writer and position.
///
/// While the database is unavailable, calls wait for it (``Options/patience``) and then fail with an error; queues
/// retain their commands and send them again.
///
/// Connect directly to the server: a pool that shares sessions between clients breaks notifications and prepared
/// statements. Each database object has two connections. They are closed by ``close()``, or when the database and all
/// its ledgers and journals are released. All methods may be called from any thread.
public final class PostgresDatabase: Sendable {
    private let core: DatabaseCore

    /// Connects to a database, and creates or migrates StoreCore's tables.
    ///
    /// If the tables exist, the role need not be allowed to create tables. It needs `SELECT` and `INSERT` on them,
    /// `USAGE` on their schema, and the functions for advisory locks, which everybody may call unless that was revoked.
    /// Obsolete rows are removed only if the role has `DELETE` on `snapshot`, `command`, `forgotten` and `opening`.
    ///
    /// - Parameters:
    ///   - settings: the connection's settings in libpq's form, `host=db dbname=shop` or `postgresql://db/shop`. Other
    ///     settings come from the environment (such as `PGHOST`), a service file and a password file.
    ///   - options: the options that libpq does not have.
    ///   - log: receives a line when the database becomes unavailable or available again, when it has lost records of a
    ///     store, and for every record that cannot be read. The log must not call the database.
    /// - Throws: ``PostgresDatabaseError``.
    public init(_ settings: String = "", options: Options = Options(), log: StoreLog = .standardError) throws {
        core = try DatabaseCore(settings, options, log: log)
    }

    /// Returns the ledger of the store with a name, and adds the store if it does not exist.
    ///
    /// - Parameters:
    ///   - name: the store's name, from 1 to 200 bytes.
    ///   - lane: the lane on which a queue calls a store on this ledger. By default it is not the app's calling thread,
    ///     so no app waits for the network, and commands that are added in the meantime are committed together.
    /// - Returns: the ledger, which retains the connections.
    /// - Throws: ``PostgresDatabaseError``.
    public func ledger(_ name: String, lane: BackendLane = .background) throws -> any SharedLedger {
        try PostgresLedger(core, name, lane: lane)
    }

    /// Returns the journal of the queue with a name, and adds the journal if it does not exist.
    ///
    /// A journal belongs to one device. Opening it again, in this or another process, stops the queue that has it open.
    ///
    /// - Parameter name: the journal's name, from 1 to 200 bytes.
    /// - Returns: the journal, which retains the connections.
    /// - Throws: ``PostgresDatabaseError``.
    public func journal(_ name: String) throws -> any QueueJournal { try PostgresJournal(core, name) }

    /// Returns the names of all stores, in the order of the database's collation.
    ///
    /// - Throws: ``PostgresDatabaseError``.
    public func stores() throws -> [String] { try core.stores() }

    /// Removes a store with all its records; does nothing if there is none with that name.
    ///
    /// The role needs `DELETE` on all tables. First close the stores on the ledger in all processes: records that they
    /// append after the removal belong to no store.
    ///
    /// - Throws: ``PostgresDatabaseError``.
    public func removeStore(_ name: String) throws { try core.removeStore(name) }

    /// Removes the journal of a device that no longer exists, with its commands; does nothing if there is none.
    ///
    /// The role needs `DELETE` on the journal's tables.
    ///
    /// - Throws: ``PostgresDatabaseError``.
    package func removeJournal(_ name: String) throws { try core.removeJournal(name) }

    /// Reads all records of a store, and returns its inconsistencies, one per line; empty for a sound store.
    ///
    /// The time is proportional to the number of records. They are read in parts, and other calls may run in between.
    ///
    /// - Throws: ``PostgresDatabaseError``.
    public func check(_ name: String) throws -> [String] { try core.check(name) }

    /// Statistics for monitoring.
    public var statistics: Statistics { core.statistics.withLock { $0 } }

    /// Closes the connections.
    ///
    /// Later uses of the database fail with ``PostgresDatabaseError/Code/closed``. Calls that wait for the database
    /// stop waiting. A running statement is awaited for at most ``Options/responseTime``.
    public func close() { core.close() }
}

extension PostgresDatabase {
    /// The options of a database, in addition to the settings that libpq has.
    public struct Options: Sendable {
        /// The schema that contains StoreCore's tables; by default `storecore`.
        ///
        /// Tests and deployment stages that share a database each need a schema of their own.
        public var schema = "storecore"
        /// The time that a call waits for an unavailable database, in seconds; by default 5.
        ///
        /// With 0, a purchase fails immediately and the queue sends it again later, although to detect a silent server
        /// still takes up to ``responseTime``. A longer time bridges a failover, but the store's callers wait that long
        /// while the database is unavailable.
        public var patience: TimeInterval = 5
        /// The maximum time for a reply of the server, in seconds; by default 10.
        ///
        /// A connection counts as lost if its server does not reply in time.
        public var responseTime: TimeInterval = 10
        /// The seconds between two polls for changes whose notifications were lost; by default 60, and at least 0.01.
        public var pollInterval: TimeInterval = 60
        /// The minimum number of records between two snapshots of a store; by default 1,024.
        public var snapshotDistance = 1024
        /// The seconds after which the server ends the session of a process that stops during its turn; by default 2.
        package var turnTime: TimeInterval = 2
        /// The seconds that an append waits for the appends of other processes, at most half of ``responseTime``; by
        /// default 0.5.
        package var turnPatience: TimeInterval = 0.5

        /// Creates the default options.
        public init() {}
    }
}

extension PostgresDatabase {
    /// Statistics for monitoring, counted since the database was opened.
    public struct Statistics: Hashable, Sendable {
        /// Whether there is a connection for reading and writing.
        public internal(set) var isConnected = false
        /// Whether there is a connection that receives notifications of other processes' records.
        public internal(set) var isListening = false
        /// The number of connections that were opened.
        ///
        /// Each connection after the first has replaced a lost one.
        public internal(set) var connections = 0
        /// The number of transactions that were committed.
        public internal(set) var commits = 0
        /// The number of writes in the committed transactions.
        ///
        /// Concurrent writes share a transaction.
        public internal(set) var writes = 0
        /// The number of appends that failed because another process had appended at their position.
        public internal(set) var conflicts = 0
        /// The number of notifications that other processes sent.
        public internal(set) var notifications = 0
        /// The number of snapshots that were written.
        public internal(set) var snapshots = 0
    }
}
