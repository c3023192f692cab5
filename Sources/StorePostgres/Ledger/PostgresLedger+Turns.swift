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
            let lock = """
                SELECT set_config('idle_in_transaction_session_timeout', $2::text, true),
                    set_config('lock_timeout', $3::text, true), pg_advisory_xact_lock(hashtextextended($1::text, 0))
                """
            let requests = [
                Connection.Request(
                    lock,
                    [
                        .text("StoreCore \(channel.name)"), .text(Self.milliseconds(core.options.turnTime)),
                        // Shorter than what the server has for an answer.
                        .text(Self.milliseconds(min(core.options.turnPatience, core.options.responseTime / 2))),
                    ]
                ),
                // A commit may take as long as it needs.
                Connection.Request("SET LOCAL lock_timeout TO DEFAULT"),
                rowsRequest(after: known, limit: Self.lookahead),
            ]
            guard let results = core.beginTransaction(verify: verify(_:), requests) else { return false }
            let found = RecordRow.all(in: results[2])
            guard found.count < Self.lookahead, let head = try? take(found, after: known) else {
                endTurn()
                return false
            }
            return head > known
        }

        func endTurn() { core.endTransaction() }

        /// Returns a time as settings have it, of which 0 would be none.
        private static func milliseconds(_ seconds: TimeInterval) -> String {
            "\(Int(max(1, min(seconds, 86_400) * 1_000)))ms"
        }
    }
#endif
