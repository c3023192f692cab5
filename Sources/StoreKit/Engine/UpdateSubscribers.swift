import StoreCore

/// The subscribers to updates, each with what it has not taken yet.
struct UpdateSubscribers: Sendable {
    private struct Subscriber: Sendable {
        /// Where a subscriber is with a transaction.
        enum Place {
            /// It is to take it.
            case pending
            /// It is to take it, and the transaction was finished since.
            case forgotten
            /// It has taken it, and reads it.
            case reading
            /// The same, and was told of it again meanwhile.
            case readingToldAgain
            /// It has taken and read it, and the transaction is unfinished.
            case taken
        }

        /// Signals that something can be taken.
        let signal: AsyncStream<Void>.Continuation
        private var places: [String: Place]
        private var pending: ArraySlice<String>

        init(_ signal: AsyncStream<Void>.Continuation, _ pending: [String]) {
            self.signal = signal
            self.pending = pending[...]
            places = Dictionary(pending.map { ($0, .pending) }, uniquingKeysWith: { first, _ in first })
        }

        /// Adds a transaction, unless it waits already, or was taken and is not told again.
        mutating func tell(_ identifier: String, isAgain: Bool) {
            let place = places.updateValue(.pending, forKey: identifier)
            switch place {
            case nil: pending.append(identifier)
            case .taken?: if isAgain { pending.append(identifier) } else { places[identifier] = .taken }
            case .reading?, .readingToldAgain?:
                if isAgain { pending.append(identifier) } else { places[identifier] = .readingToldAgain }
            case .pending?, .forgotten?: break
            }
        }

        mutating func take(_ count: Int) -> [String] {
            let page = pending.prefix(count)
            pending.removeFirst(page.count)
            for identifier in page { places[identifier] = places[identifier] == .forgotten ? nil : .reading }
            return Array(page)
        }

        /// Records what a transaction's reading has found: one that could not be read is told when it comes again.
        mutating func finishReading(_ identifier: String, isFound: Bool) {
            switch places[identifier] {
            case .reading?: places[identifier] = isFound ? .taken : nil
            case .readingToldAgain? where isFound: places[identifier] = .taken
            case .readingToldAgain?:
                places[identifier] = .pending
                pending.append(identifier)
            case .pending?, .forgotten?, .taken?, nil: break
            }
        }

        mutating func forget(_ identifier: String) {
            switch places[identifier] {
            case .pending?, .forgotten?: places[identifier] = .forgotten
            case .reading?, .readingToldAgain?, .taken?, nil: places[identifier] = nil
            }
        }

        mutating func forgetAll() { (places, pending) = ([:], []) }
    }

    private var all: [Int: Subscriber] = [:]
    private var lastNumber = 0
    /// The dates of the revocations that were told, by transaction.
    private var revocations: [String: PayloadDate] = [:]
    /// The revoked transactions that no subscriber has taken, in the order in which they were told.
    private var untaken: ArraySlice<String> = []

    var isEmpty: Bool { all.isEmpty }
    var hasUntakenRevocations: Bool { !untaken.isEmpty }

    /// Adds a subscriber and returns its number.
    ///
    /// It is to take what is unfinished, and the revocations that nobody else has taken.
    mutating func add(_ signal: AsyncStream<Void>.Continuation, unfinished: [String]) -> Int {
        lastNumber += 1
        let unfinishedSet = Set(unfinished)
        all[lastNumber] = Subscriber(signal, unfinished + untaken.filter { !unfinishedSet.contains($0) })
        return lastNumber
    }

    mutating func remove(_ number: Int) { all[number] = nil }

    /// Tells each subscriber of those transactions that it has not been told of, or of all of them again.
    mutating func tell(_ identifiers: [String], isAgain: Bool = false) {
        for number in all.keys {
            for identifier in identifiers { all[number]?.tell(identifier, isAgain: isAgain) }
            all[number]?.signal.yield()
        }
    }

    /// Tells each subscriber of those revocations that were not told before; without one they wait for the next.
    mutating func tellRevocations(_ transactions: [TransactionPayload]) {
        var news: [String] = []
        for transaction in transactions {
            let (identifier, date) = (transaction.transactionId, transaction.revocationDate)
            let old = revocations.updateValue(date ?? PayloadDate(milliseconds: 0), forKey: identifier)
            guard old == nil || old != revocations[identifier] else { continue }
            news.append(identifier)
            // What was not told before does not wait.
            if old == nil || !untaken.contains(identifier) { untaken.append(identifier) }
        }
        if !news.isEmpty { tell(news, isAgain: true) }
    }

    /// Records that a subscriber has taken a revoked transaction.
    mutating func tookRevocation(_ identifier: String) {
        if untaken.first == identifier { untaken.removeFirst() } else { untaken.removeAll { $0 == identifier } }
    }

    /// Takes what a subscriber has not taken yet, at most so many as a page of the history has.
    ///
    /// Whoever takes it reads it, and then says what was found, see ``finishReading(_:of:found:)``.
    mutating func take(of number: Int) -> [String] { all[number]?.take(HistoryQuery.defaultLimit) ?? [] }

    /// Records which of the transactions that a subscriber has taken could be read.
    ///
    /// The store does not show those of a user who has signed out; once the user is back, the queue tells of them again.
    mutating func finishReading(_ identifiers: [String], of number: Int, found: Set<String>) {
        for identifier in identifiers {
            all[number]?.finishReading(identifier, isFound: found.contains(identifier))
        }
    }

    /// Forgets a finished transaction: should its identifier come again, it is news.
    mutating func forget(_ identifier: String) {
        for number in all.keys { all[number]?.forget(identifier) }
    }

    /// Forgets what subscribers were told of, also what they have yet to take.
    mutating func forget() {
        (revocations, untaken) = ([:], [])
        for number in all.keys { all[number]?.forgetAll() }
    }

    func finish() {
        for subscriber in all.values { subscriber.signal.finish() }
    }
}

/// One subscriber's place among the updates.
struct UpdateSubscription {
    let number: Int
    var signals: AsyncStream<Void>.Iterator

    /// Returns the identifiers that come next, at least one; nil at the end.
    mutating func next(of face: StoreFace, isolation actor: isolated (any Actor)?) async -> [String]? {
        while true {
            let identifiers = face.takeUpdates(of: number)
            if !identifiers.isEmpty { return identifiers }
            guard await signals.next(isolation: actor) != nil else { return nil }
        }
    }
}
