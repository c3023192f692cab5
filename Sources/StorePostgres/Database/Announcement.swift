#if canImport(CPostgres)
    /// What other processes are to hear on a channel.
    ///
    /// It is sent in a transaction of its own, behind a commit: a commit that notifies would wait for all others that do. One
    /// behind a commit that failed tells of nothing, and costs those who hear it a look.
    struct Announcement {
        let channel: Channel
        let payload: String

        /// The statement that sends it.
        ///
        /// It waits neither for the disk nor long for others who notify, which would keep the connection's next statement
        /// waiting: what is not sent is made up for.
        var request: Connection.Request {
            let settings = "set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '1s', true)"
            return Connection.Request(
                "SELECT \(settings), pg_notify($1::text, $2::text)",
                [.text(channel.name), .text(payload)]
            )
        }
    }
#endif
