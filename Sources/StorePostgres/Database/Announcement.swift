#if canImport(CPostgres)
    /// What other processes are to hear on a channel.
    ///
    /// It is sent in a transaction of its own, behind a commit: a commit that notifies would wait for all others that do. One
    /// behind a commit that failed tells of nothing, and costs those who hear it a look.
    struct Announcement {
        let channel: Channel
        let payload: String

        /// Returns the statement that sends it if there is another process to hear it.
        ///
        /// A notification costs the server a transaction with a number, and a place in a queue. It waits neither for the
        /// disk nor long for others who notify, which would keep the connection's next statement waiting: what is not sent
        /// is made up for.
        func request(in tables: Tables) -> Connection.Request {
            Connection.Request(Self.announcing, [.text(tables.schemaName), .text(channel.name), .text(payload)])
        }

        private static let announcing = """
            SELECT CASE WHEN pg_try_advisory_lock(presence) THEN pg_advisory_unlock(presence)::text ELSE concat(
                set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '1s', true),
                pg_notify($2::text, $3::text)
            ) END FROM (SELECT \(presence) AS presence) AS key
            """

        /// Returns the statement by which a connection shows that it is there, and its process with it.
        ///
        /// It takes a lock for as long as it lives, which it shares with all others: whoever could have the lock alone is
        /// alone. Whatever was appended before is to be read behind this.
        static func presenceLock(in tables: Tables) -> Connection.Request {
            Connection.Request("SELECT pg_advisory_lock_shared(\(presence))", [.text(tables.schemaName)])
        }

        private static let presence = "hashtextextended('storecore_' || $1::text, 0)"
    }
#endif
