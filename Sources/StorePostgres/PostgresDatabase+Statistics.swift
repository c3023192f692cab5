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
