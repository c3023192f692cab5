import Foundation

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
