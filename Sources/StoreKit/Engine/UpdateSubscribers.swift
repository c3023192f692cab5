import StoreCore

/// The subscribers to updates, each with the transactions that it has not taken yet.
struct UpdateSubscribers: Sendable {
    typealias Actions = StoreKit2Machine.Actions

    private struct Subscriber: Sendable {
        /// The progress of a subscriber with a transaction.
        enum Progress {
            /// Not taken yet.
            case pending
            /// Not taken yet, and the transaction has left the queue since.
            case removed
            /// Taken, and being read.
            case reading
            /// Being read, and reported again since the reading began.
            case readingAgain
            /// Taken, but not in the store's history, although the queue has the transaction.
            case hidden
            /// Taken and read, and the transaction is unfinished.
            case read
        }

        let number: Int
        /// Signals that something can be taken.
        let signal: Signal
        private var progress: [String: Progress]
        private var pending: ArraySlice<String>
        /// The transactions that became `hidden`, in the order in which they were read.
        private var hidden: [String] = []
        /// The number of changes of the history when the subscriber last took a transaction.
        private var changes = 0

        init(_ number: Int, _ signal: Signal, _ pending: [String]) {
            (self.number, self.signal) = (number, signal)
            self.pending = pending[...]
            progress = Dictionary(pending.map { ($0, .pending) }, uniquingKeysWith: { first, _ in first })
        }

        /// Adds a transaction, unless it is pending, or was taken and `isAgain` is false.
        mutating func add(_ identifier: String, isAgain: Bool) {
            switch progress.updateValue(.pending, forKey: identifier) {
            case nil, .hidden?: pending.append(identifier)
            case .read?: if isAgain { pending.append(identifier) } else { progress[identifier] = .read }
            case .reading?, .readingAgain?:
                if isAgain { pending.append(identifier) } else { progress[identifier] = .readingAgain }
            case .pending?, .removed?: break
            }
        }

        mutating func take(_ count: Int, changes: Int) -> [String] {
            self.changes = changes
            let page = pending.prefix(count)
            pending.removeFirst(page.count)
            // Changes each entry with a single look-up, since a page of renewals may be long.
            for identifier in page { Self.beginReading(&progress[identifier]) }
            return Array(page)
        }

        private static func beginReading(_ progress: inout Progress?) {
            progress = progress == .removed ? nil : .reading
        }

        /// Records that a transaction was found, and returns whether it was being read.
        private static func find(_ progress: inout Progress?) -> Bool {
            switch progress {
            case .reading?, .readingAgain?:
                progress = .read
                return true
            case .pending?, .removed?, .hidden?, .read?, nil: return false
            }
        }

        /// Records the result of reading a transaction.
        ///
        /// If the transaction is not found, it is read again when it is reported again or, if the queue has it, when
        /// the history changes. Returns whether this reading covers every earlier report of the transaction.
        mutating func finishReading(_ identifier: String, isFound: Bool, isQueued: Bool, changes: Int) -> Bool {
            if isFound { return Self.find(&progress[identifier]) }
            switch progress[identifier] {
            case .reading?:
                progress[identifier] = isQueued ? .hidden : nil
                if isQueued { hidden.append(identifier) }
                if changes != self.changes { _ = requeueHidden() }
            case .readingAgain?:
                progress[identifier] = .pending
                pending.append(identifier)
            case .pending?, .removed?, .hidden?, .read?, nil: return false
            }
            return true
        }

        /// Makes the hidden transactions pending again; returns whether there were any.
        mutating func requeueHidden() -> Bool {
            if hidden.isEmpty { return false }
            let identifiers = hidden.filter { progress[$0] == .hidden }
            hidden = []
            for identifier in identifiers { progress[identifier] = .pending }
            pending += identifiers
            return !identifiers.isEmpty
        }

        mutating func forget(_ identifier: String) {
            switch progress[identifier] {
            case .pending?, .removed?: progress[identifier] = .removed
            case .reading?, .readingAgain?, .hidden?, .read?, nil: progress[identifier] = nil
            }
        }

        mutating func forgetAll() { (progress, pending, hidden) = ([:], [], []) }
    }

    /// The subscribers, in the order of their numbers.
    private var all: [Subscriber] = []
    private var lastNumber = 0
    /// The number of changes of the history.
    private var changes = 0
    /// The dates of the reported revocations, by transaction.
    private var revocations: [String: PayloadDate] = [:]
    /// The revoked transactions that were delivered to no subscriber, in the order in which they were reported.
    private var undelivered: ArraySlice<String> = []

    var isEmpty: Bool { all.isEmpty }
    var hasUndeliveredRevocations: Bool { !undelivered.isEmpty }

    /// Adds a subscriber and returns its number.
    ///
    /// The subscriber first receives unfinished transactions, and the revocations that were not delivered to any other.
    mutating func add(_ signal: Signal, unfinished: [String]) -> Int {
        lastNumber += 1
        let unfinishedSet = Set(unfinished)
        let pending = unfinished + undelivered.filter { !unfinishedSet.contains($0) }
        all.append(Subscriber(lastNumber, signal, pending))
        return lastNumber
    }

    mutating func remove(_ number: Int) { if let index = index(of: number) { all.remove(at: index) } }

    /// Returns the index of a subscriber; nil once it is removed.
    private func index(of number: Int) -> Int? {
        let index = all.indices.partitionPoint { all[$0].number < number }
        return index < all.count && all[index].number == number ? index : nil
    }

    /// Adds transactions to those that each subscriber has to take; with `isAgain`, even if it has taken them before.
    mutating func publish(_ identifiers: [String], isAgain: Bool = false, _ actions: inout Actions) {
        for index in all.indices {
            for identifier in identifiers { all[index].add(identifier, isAgain: isAgain) }
            actions.signals.append(all[index].signal)
        }
    }

    /// Adds new revocations to those that each subscriber has to take; without a subscriber, stores them for the next.
    mutating func publishRevocations(_ transactions: [TransactionPayload], _ actions: inout Actions) {
        var new: [String] = []
        for transaction in transactions {
            let (identifier, date) = (transaction.transactionId, transaction.revocationDate)
            let old = revocations.updateValue(date ?? PayloadDate(milliseconds: 0), forKey: identifier)
            guard old == nil || old != revocations[identifier] else { continue }
            new.append(identifier)
            // The list cannot contain a revocation that was never reported, so it is not searched for one.
            if old == nil || !undelivered.contains(identifier) { undelivered.append(identifier) }
        }
        if !new.isEmpty { publish(new, isAgain: true, &actions) }
    }

    /// Records that a revoked transaction was delivered to a subscriber.
    mutating func revocationDelivered(_ identifier: String) {
        if undelivered.first == identifier {
            undelivered.removeFirst()
        } else {
            undelivered.removeAll { $0 == identifier }
        }
    }

    /// Returns the transactions that a subscriber has not taken yet, at most as many as a page of the history has.
    ///
    /// The caller reads them, and then passes the result to ``finishReading(_:of:_:isQueued:)``.
    mutating func take(of number: Int) -> [String] {
        index(of: number).map { all[$0].take(HistoryQuery.defaultLimit, changes: changes) } ?? []
    }

    /// Makes pending again, for each subscriber, the transactions that the history did not contain.
    mutating func historyChanged(_ actions: inout Actions) {
        changes += 1
        for index in all.indices where all[index].requeueHidden() { actions.signals.append(all[index].signal) }
    }

    /// Records the result of reading the transactions that a subscriber has taken.
    ///
    /// `read` has the transactions that were found, in the order of `identifiers`; it is nil if the store did not
    /// respond.
    ///
    /// The history lacks the transactions of a user who has signed out. When the user returns, the queue reports them
    /// again, unless it did not notice the absence and still has them, as `isQueued` says. A revocation that the
    /// history lacks is not stored for other subscribers: it was reversed or deleted, or is reported when its user
    /// returns.
    mutating func finishReading(
        _ identifiers: [String],
        of number: Int,
        _ read: SignedTransactions?,
        isQueued: (String) -> Bool
    ) {
        guard let index = index(of: number) else { return }
        var remainder = read ?? []
        for identifier in identifiers {
            var found: SignedValue<TransactionPayload>?
            if remainder.first?.content.transactionId == identifier { found = remainder.popFirst() }
            let isAll = all[index].finishReading(
                identifier,
                isFound: found != nil,
                isQueued: found == nil && isQueued(identifier),
                changes: changes
            )
            if undelivered.isEmpty || read == nil || !isAll || found?.content.revocationDate != nil { continue }
            guard undelivered.contains(identifier) else { continue }
            revocationDelivered(identifier)
            revocations[identifier] = nil
        }
    }

    /// Removes a transaction that has left the queue: if its identifier is reported again, it counts as new.
    mutating func forget(_ identifier: String) {
        for index in all.indices { all[index].forget(identifier) }
    }

    /// Discards all reports to subscribers, including those that they have yet to take.
    mutating func forgetAll() {
        (revocations, undelivered) = ([:], [])
        for index in all.indices { all[index].forgetAll() }
    }

    var signals: [Signal] { all.map(\.signal) }
}
