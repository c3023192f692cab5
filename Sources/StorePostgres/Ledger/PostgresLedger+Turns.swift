#if canImport(CPostgres)
    import Foundation
    import StoreCore

    // Turns save work, and nothing depends on them: the table refuses a second record at one position.
    extension PostgresLedger: TurnTakingLedger {
        /// The number of appends that take turns, behind the last record of another store.
        static let contendedAppends = 8

        func beginTurn() -> Bool {
            let (known, isContended) = state.withLock { ($0.head, $0.contended > 0) }
            guard isContended else { return false }
            // A process that stops in its turn must not stop the others: its session ends, and they wait no longer.
            let lock = """
                SELECT set_config('idle_in_transaction_session_timeout', '1s', true),
                    set_config('lock_timeout', '2s', true), pg_advisory_xact_lock(hashtextextended($1::text, 0))
                """
            let requests = [
                Connection.Request(lock, [.text("StoreCore \(channel.name)")]),
                // A commit may take as long as it needs.
                Connection.Request("SET LOCAL lock_timeout TO DEFAULT"),
                rowsRequest(after: known, limit: Self.lookahead),
            ]
            guard let results = core.beginTransaction(verify: verify(_:), requests) else { return false }
            let found = (0..<results[2].count).map { RecordRow(results[2], $0) }
            guard found.count < Self.lookahead, let head = try? take(found, after: known) else {
                endTurn()
                return false
            }
            return head > known
        }

        func endTurn() { core.endTransaction() }
    }
#endif
