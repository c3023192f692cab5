#if canImport(CPostgres)
    extension DatabaseCore {
        /// The settings of a session that correctness and speed depend on, whatever the role's or the server's are.
        static let session = [
            "SET client_min_messages = warning",
            "SET default_transaction_isolation = 'read committed'",
            "SET idle_in_transaction_session_timeout = '60s'",
            "SET standard_conforming_strings = on",
            // Every statement has an index for its rows and their order. So one plan serves all values, whatever the
            // server knows of the tables.
            "SET plan_cache_mode = force_generic_plan",
            "SET enable_indexscan = on",
            "SET enable_indexonlyscan = on",
            "SET enable_seqscan = off",
            "SET enable_bitmapscan = off",
            "SET jit = off",
            // A server notices within half a minute that this process's machine is gone, and lets its locks go.
            "SET tcp_keepalives_idle = 10",
            "SET tcp_keepalives_interval = 5",
            "SET tcp_keepalives_count = 3",
        ]
    }
#endif
