/// A moment of a store: while it lasts, what the store shows of a transaction stays the same, its signing date to the second
/// included.
package struct ServerMoment: Hashable, Sendable {
    /// The position of the last record of the ledger.
    let position: Int
    /// The whole seconds since the beginning of 1970, UTC, by the store's clock.
    let second: Int64
}

extension ServerView {
    /// The store's moment, once everything due by now has been done; nil while signatures are to be wrong, which no record of
    /// the ledger tells.
    package var moment: ServerMoment? {
        core.look { shell, now in
            guard core.signing.withLock({ $0.defect }) == nil else { return nil }
            return ServerMoment(position: shell.state.position, second: PayloadDate(now).seconds)
        }
    }
}
