import Foundation

/// The history of a store for a live display, which reads each record of the ledger only once.
///
/// A chronicle retains the store. Any thread may call its methods.
package final class StoreChronicle: Sendable {
    /// A line of the timeline.
    package struct Line: Hashable, Sendable {
        /// The number of records up to and including the line's own, one more than in the line before.
        package let position: Int
        package let entry: SandboxTimeline.Entry
    }

    private struct State {
        let history = LedgerHistory()
        var lines: [Line] = []
    }

    private let store: SandboxStore
    private let minimumLines: Int
    /// Lock order: the store's state first, then this state.
    private let state = Locked(State())

    /// Creates the chronicle of a store; the first call of a method reads the ledger.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - minimumLines: the minimum number of lines to retain; older ones are dropped.
    package init(_ store: SandboxStore, minimumLines: Int = 1000) {
        (self.store, self.minimumLines) = (store, minimumLines)
    }

    /// Returns the lines after a position, oldest first.
    ///
    /// - Parameters:
    ///   - position: the position of the last known line; nil for none.
    ///   - limit: the maximum number of lines; the newest are returned.
    /// - Returns: the lines, the position of the last, and whether lines between `position` and the first one are
    ///   missing.
    /// - Throws: the error that prevents reading the ledger.
    package func lines(
        after position: Int?,
        limit: Int = .max
    ) throws -> (lines: [Line], head: Int, areSomeMissing: Bool) {
        try read { state in
            let head = state.history.state.position
            let known = position.map { $0 <= head ? $0 : 0 } ?? 0
            let first = max(known, head - min(state.lines.count, limit))
            return (Array(state.lines.suffix(head - first)), head, first > known)
        }
    }

    /// Returns a page of the store's transactions, newest first.
    ///
    /// - Parameters:
    ///   - identifier: the last transaction of the previous page; nil for the first page.
    ///   - limit: the maximum number of transactions.
    ///   - isMeant: returns whether a transaction belongs to the page.
    /// - Returns: the page, and the number of all transactions.
    /// - Throws: the error that prevents reading the ledger.
    package func transactions(
        before identifier: String? = nil,
        limit: Int,
        where isMeant: (SandboxTransaction) -> Bool = { _ in true }
    ) throws -> (page: [SandboxTransaction], total: Int) {
        try read { state in
            let all = state.history.transactions
            // In the order of their numbers. The last one of the previous page may have been deleted.
            let end =
                identifier.flatMap { Int($0) }.map { last in
                    all.indices.partitionPoint { Int(all[$0].id) ?? 0 < last }
                } ?? all.endIndex
            return (Array(all[..<end].reversed().lazy.filter(isMeant).prefix(limit)), all.count)
        }
    }

    /// Returns a transaction, or nil if there is none with the identifier.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func transaction(_ identifier: String) throws -> SandboxTransaction? {
        try read { state in TransactionNumber(identifier).flatMap { state.history.transaction($0) } }
    }

    private func read<Result: Sendable>(_ body: (State) -> Result) throws -> Result {
        try store.driver.look { driverState, _ in
            try state.withLock { state in
                try driverState.forEachRecord(after: state.history.state.position) { record in
                    state.history.take(record)
                    let entry = SandboxTimeline.Entry(record, state.history)
                    state.lines.append(Line(position: state.history.state.position, entry: entry))
                    // Lines are removed in bulk, since each removal moves all others.
                    if state.lines.count > 2 * minimumLines { state.lines.removeFirst(minimumLines) }
                }
                return body(state)
            }
        }
    }
}
