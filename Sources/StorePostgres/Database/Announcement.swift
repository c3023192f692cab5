#if canImport(CPostgres)
    /// What other processes are to hear on a channel.
    ///
    /// It is sent in a transaction of its own, behind a commit: a commit that notifies would wait for all others that do.
    struct Announcement {
        let channel: Channel
        let payload: String

        /// The statement that sends it.
        ///
        /// Nobody waits for the disk: what gets lost with the server is made up for.
        var request: Connection.Request {
            Connection.Request(
                "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1::text, $2::text)",
                [.text(channel.name), .text(payload)]
            )
        }
    }
#endif
