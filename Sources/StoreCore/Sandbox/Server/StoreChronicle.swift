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
        /// The positions of each transaction's lines, including those that were dropped.
        var places = TransactionLines()

        /// The number of lines that are read again at once.
        private static var portion: Int { 256 }

        /// Returns the last few lines before a position, oldest first; none at the beginning.
        func lines(before position: Int, _ driverState: SandboxDriverState) throws -> [Line] {
            let end = min(position, history.state.position + 1)
            return try lines(max(1, end - Self.portion)..<max(1, end), driverState)
        }

        /// Returns the lines at some positions, oldest first.
        func lines(_ positions: Range<Int>, _ driverState: SandboxDriverState) throws -> [Line] {
            if let first = lines.first?.position, positions.lowerBound >= first {
                return Array(lines[(positions.lowerBound - first)..<(positions.upperBound - first)])
            }
            var found: [Line] = []
            while found.count < positions.count {
                let last = positions.lowerBound + found.count - 1
                let records = try driverState.records.read(after: last, limit: positions.count - found.count)
                guard !records.isEmpty else { throw StoreFailure.cutShort(at: last) }
                for record in records {
                    // Described by the present history, which knows whatever the record refers to.
                    let entry = SandboxTimeline.Entry(record, history)
                    found.append(Line(position: positions.lowerBound + found.count, entry: entry))
                }
            }
            return found
        }
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
        try read { state, _ in
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
        try read { state, _ in
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
        try read { state, _ in TransactionNumber(identifier).flatMap { state.history.transaction($0) } }
    }

    /// Returns the transactions with some identifiers, without those that do not exist.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func transactions(_ identifiers: [String]) throws -> [SandboxTransaction] {
        try read { state, _ in
            identifiers.compactMap { TransactionNumber($0).flatMap { state.history.transaction($0) } }
        }
    }

    /// Returns a page of the transactions, sorted by a key.
    ///
    /// - Parameters:
    ///   - key: returns the key of a transaction.
    ///   - ascending: whether the smallest keys come first.
    ///   - place: the place of the last transaction on the previous page; nil for the first page.
    ///   - limit: the maximum number of transactions.
    ///   - isMeant: returns whether a transaction belongs to the list.
    /// - Returns: the page, the number of transactions on all pages, and the place after which the next page begins.
    /// - Throws: the error that prevents reading the ledger.
    package func transactions(
        by key: (SandboxTransaction) -> RowKey,
        ascending: Bool = false,
        after place: RowPlace? = nil,
        limit: Int,
        where isMeant: (SandboxTransaction) -> Bool
    ) throws -> (page: [SandboxTransaction], total: Int, next: RowPlace?) {
        try read { state, _ in
            let all = state.history.transactions
            var total = 0
            // One more than the page has, to know whether there is another page.
            var found = FirstFew<(place: RowPlace, index: Int)>(limit + 1) {
                $0.place.isBefore($1.place, ascending: ascending)
            }
            for index in all.indices.reversed() where isMeant(all[index]) {
                total += 1
                let own = RowPlace(key(all[index]), Int(all[index].id) ?? 0)
                if place.map({ $0.isBefore(own, ascending: ascending) }) ?? true { found.insert((own, index)) }
            }
            let page = found.elements.prefix(limit)
            let next = found.elements.count > limit ? page.last?.place : nil
            return (page.map { all[$0.index] }, total, next)
        }
    }

    /// Calls a closure with each transaction, oldest first.
    ///
    /// The closure must not call the store.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func forEachTransaction(_ body: (SandboxTransaction) -> Void) throws {
        try read { state, _ in
            for index in state.history.transactions.indices { body(state.history.transactions[index]) }
        }
    }

    /// Returns a page of all lines, newest first; those that are not retained are read again.
    ///
    /// - Parameters:
    ///   - position: the position of the last line on the previous page; nil for the first page.
    ///   - limit: the maximum number of lines.
    ///   - isMeant: returns whether a line belongs to the page.
    /// - Returns: the page, and the position after which the next page begins.
    /// - Throws: the error that prevents reading the ledger.
    package func lines(
        before position: Int?,
        limit: Int,
        where isMeant: (Line) -> Bool
    ) throws -> (page: [Line], next: Int?) {
        var (found, end): ([Line], Int) = ([], position ?? .max)
        while found.count <= limit {
            let lines = try read { state, driverState in try state.lines(before: end, driverState) }
            guard let first = lines.first else { break }
            found += lines.reversed().filter(isMeant)
            end = first.position
        }
        let page = Array(found.prefix(limit))
        return (page, found.count > limit ? page.last?.position : nil)
    }

    /// Returns the lines about a transaction, oldest first, with the deliveries to devices as far as they are traced.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func lines(about transaction: String) throws -> [Line] {
        try read { state, driverState in
            var lines: [Line] = []
            for position in TransactionNumber(transaction).map(state.places.positions) ?? [] {
                lines += try state.lines(position..<position + 1, driverState)
            }
            for delivery in driverState.deliveries ?? [] where delivery.entry.transaction == transaction {
                let place = lines.indices.partitionPoint { lines[$0].position <= delivery.position }
                lines.insert(Line(position: delivery.position, entry: delivery.entry), at: place)
            }
            return lines
        }
    }

    private func read<Result: Sendable>(_ body: (State, SandboxDriverState) throws -> Result) throws -> Result {
        try store.driver.look { driverState, _ in
            try state.withLock { state in
                try driverState.forEachRecord(after: state.history.state.position) { record in
                    state.history.take(record)
                    let entry = SandboxTimeline.Entry(record, state.history)
                    let position = state.history.state.position
                    state.lines.append(Line(position: position, entry: entry))
                    for identifier in entry.others + (entry.transaction.map { [$0] } ?? []) {
                        if let number = TransactionNumber(identifier) { state.places.add(position, about: number) }
                    }
                    // Lines are removed in bulk, since each removal moves all others.
                    if state.lines.count > 2 * minimumLines { state.lines.removeFirst(minimumLines) }
                }
                return try body(state, driverState)
            }
        }
    }
}

/// A value by which the rows of a list are sorted.
package enum RowKey: Hashable, Comparable, Sendable {
    case number(Int)
    case text(String)
    case amount(Decimal)
}

/// The place of a row in a sorted list, which stays valid while other rows are added or removed.
package struct RowPlace: Hashable, Sendable {
    /// The value by which the row is sorted.
    package let key: RowKey
    /// The number of the row, which no other row has; of rows with equal keys, the newest comes first.
    package let number: Int

    /// Creates a place from its parts.
    package init(_ key: RowKey, _ number: Int) { (self.key, self.number) = (key, number) }

    func isBefore(_ other: RowPlace, ascending: Bool) -> Bool {
        if key == other.key { return number > other.number }
        return ascending ? key < other.key : other.key < key
    }
}
