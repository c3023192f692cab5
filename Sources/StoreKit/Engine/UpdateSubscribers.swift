import StoreCore

/// The subscribers to updates, each with the transactions that it has not taken yet.
struct UpdateSubscribers: Sendable {
    private struct Subscriber: Sendable {
        /// The progress of a subscriber with a transaction.
        enum Place {
            /// Not taken yet.
            case pending
            /// Not taken yet, and the transaction has been finished since.
            case forgotten
            /// Taken, and being read.
            case reading
            /// Being read, and reported again meanwhile.
            case readingToldAgain
            /// Taken, but not in the store's history, although the queue has the transaction.
            case hidden
            /// Taken and read, and the transaction is unfinished.
            case taken
        }

        let number: Int
        /// Signals that something can be taken.
        let signal: Signal
        private var places: [String: Place]
        private var pending: ArraySlice<String>
        /// The transactions that became `hidden`, in the order in which they were read.
        private var hidden: [String] = []
        /// The number of changes of the history when the subscriber last took a transaction.
        private var changes = 0

        init(_ number: Int, _ signal: Signal, _ pending: [String]) {
            (self.number, self.signal) = (number, signal)
            self.pending = pending[...]
            places = Dictionary(pending.map { ($0, .pending) }, uniquingKeysWith: { first, _ in first })
        }

        /// Adds a transaction, unless it is pending, or was taken and `isAgain` is false.
        mutating func tell(_ identifier: String, isAgain: Bool) {
            let place = places.updateValue(.pending, forKey: identifier)
            switch place {
            case nil, .hidden?: pending.append(identifier)
            case .taken?: if isAgain { pending.append(identifier) } else { places[identifier] = .taken }
            case .reading?, .readingToldAgain?:
                if isAgain { pending.append(identifier) } else { places[identifier] = .readingToldAgain }
            case .pending?, .forgotten?: break
            }
        }

        mutating func take(_ count: Int, changes: Int) -> [String] {
            self.changes = changes
            let page = pending.prefix(count)
            pending.removeFirst(page.count)
            // Changes each place with a single look-up, since a page of renewals may be long.
            for identifier in page { Self.beginReading(&places[identifier]) }
            return Array(page)
        }

        private static func beginReading(_ place: inout Place?) { place = place == .forgotten ? nil : .reading }

        /// Records that a transaction was found, and returns whether it was being read.
        private static func find(_ place: inout Place?) -> Bool {
            switch place {
            case .reading?, .readingToldAgain?:
                place = .taken
                return true
            case .pending?, .forgotten?, .hidden?, .taken?, nil: return false
            }
        }

        /// Records the result of reading a transaction.
        ///
        /// A transaction that could not be read is reported when it is added again or, if the queue has it, when the
        /// history changes. Returns whether this reading covers every earlier report of the transaction.
        mutating func finishReading(_ identifier: String, isFound: Bool, isQueued: Bool, changes: Int) -> Bool {
            if isFound { return Self.find(&places[identifier]) }
            switch places[identifier] {
            case .reading?:
                places[identifier] = isQueued ? .hidden : nil
                if isQueued { hidden.append(identifier) }
                if changes != self.changes { _ = tellHidden() }
            case .readingToldAgain?:
                places[identifier] = .pending
                pending.append(identifier)
            case .pending?, .forgotten?, .hidden?, .taken?, nil: return false
            }
            return true
        }

        /// Makes the hidden transactions pending again; returns whether there were any.
        mutating func tellHidden() -> Bool {
            if hidden.isEmpty { return false }
            let identifiers = hidden.filter { places[$0] == .hidden }
            hidden = []
            for identifier in identifiers { places[identifier] = .pending }
            pending += identifiers
            return !identifiers.isEmpty
        }

        mutating func forget(_ identifier: String) {
            switch places[identifier] {
            case .pending?, .forgotten?: places[identifier] = .forgotten
            case .reading?, .readingToldAgain?, .hidden?, .taken?, nil: places[identifier] = nil
            }
        }

        mutating func forgetAll() { (places, pending, hidden) = ([:], [], []) }
    }

    /// The subscribers, in the order of their numbers.
    private var all: [Subscriber] = []
    private var lastNumber = 0
    /// The number of changes of the history.
    private var changes = 0
    /// The dates of the reported revocations, by transaction.
    private var revocations: [String: PayloadDate] = [:]
    /// The revoked transactions that no subscriber has taken, in the order in which they were reported.
    private var untaken: ArraySlice<String> = []

    var isEmpty: Bool { all.isEmpty }
    var hasUntakenRevocations: Bool { !untaken.isEmpty }

    /// Adds a subscriber and returns its number.
    ///
    /// The subscriber first receives unfinished transactions, and the revocations that no other subscriber has taken.
    mutating func add(_ signal: Signal, unfinished: [String]) -> Int {
        lastNumber += 1
        let unfinishedSet = Set(unfinished)
        let pending = unfinished + untaken.filter { !unfinishedSet.contains($0) }
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
    mutating func tell(_ identifiers: [String], isAgain: Bool = false, _ signals: inout [Signal]) {
        for index in all.indices {
            for identifier in identifiers { all[index].tell(identifier, isAgain: isAgain) }
            signals.append(all[index].signal)
        }
    }

    /// Notifies each subscriber of new revocations; without a subscriber they are stored for the next.
    mutating func tellRevocations(_ transactions: [TransactionPayload], _ signals: inout [Signal]) {
        var news: [String] = []
        for transaction in transactions {
            let (identifier, date) = (transaction.transactionId, transaction.revocationDate)
            let old = revocations.updateValue(date ?? PayloadDate(milliseconds: 0), forKey: identifier)
            guard old == nil || old != revocations[identifier] else { continue }
            news.append(identifier)
            // The list cannot contain a revocation that was never reported, so it is not searched for one.
            if old == nil || !untaken.contains(identifier) { untaken.append(identifier) }
        }
        if !news.isEmpty { tell(news, isAgain: true, &signals) }
    }

    /// Records that a subscriber has taken a revoked transaction.
    mutating func tookRevocation(_ identifier: String) {
        if untaken.first == identifier { untaken.removeFirst() } else { untaken.removeAll { $0 == identifier } }
    }

    /// Returns the transactions that a subscriber has not taken yet, at most as many as a page of the history has.
    ///
    /// The caller reads them, and then passes the result to ``finishReading(_:of:_:queued:)``.
    mutating func take(of number: Int) -> [String] {
        index(of: number).map { all[$0].take(HistoryQuery.defaultLimit, changes: changes) } ?? []
    }

    /// Makes pending again, for each subscriber, the transactions that the history did not contain.
    mutating func historyChanged(_ signals: inout [Signal]) {
        changes += 1
        for index in all.indices where all[index].tellHidden() { signals.append(all[index].signal) }
    }

    /// Records the result of reading the transactions that a subscriber has taken, in the same order; nil if none was
    /// read.
    ///
    /// The history lacks the transactions of a user who has signed out. The queue reports them again when the user
    /// returns, unless it has missed the absence and still has them, in `queued`. A revocation that the history lacks
    /// is not stored for other subscribers: it was reversed or deleted, or is reported when its user returns.
    mutating func finishReading(
        _ identifiers: [String],
        of number: Int,
        _ read: ArraySlice<SignedValue<TransactionPayload>>?,
        queued: [String: KnownTransaction]
    ) {
        guard let index = index(of: number) else { return }
        var rest = read ?? []
        for identifier in identifiers {
            var found: SignedValue<TransactionPayload>?
            if rest.first?.content.transactionId == identifier { found = rest.popFirst() }
            let isAll = all[index].finishReading(
                identifier,
                isFound: found != nil,
                isQueued: found == nil && queued[identifier] != nil,
                changes: changes
            )
            if untaken.isEmpty || read == nil || !isAll || found?.content.revocationDate != nil { continue }
            guard untaken.contains(identifier) else { continue }
            tookRevocation(identifier)
            revocations[identifier] = nil
        }
    }

    /// Removes a finished transaction: if its identifier is reported again, it counts as new.
    mutating func forget(_ identifier: String) {
        for index in all.indices { all[index].forget(identifier) }
    }

    /// Discards all reports to subscribers, including those that they have yet to take.
    mutating func forget() {
        (revocations, untaken) = ([:], [])
        for index in all.indices { all[index].forgetAll() }
    }

    /// Ends the iterations of all subscribers; to be called without a lock.
    func finish() {
        for subscriber in all { subscriber.signal.finish() }
    }
}

/// One subscriber's position among the updates.
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

/// The subscribers to a sequence, each with its own list of the elements that it has not taken yet.
struct Subscribers<Element: Sendable>: Sendable {
    fileprivate struct Subscriber: Sendable {
        let signal: Signal
        var pending: ArraySlice<Element>
    }

    private var all: [Int: Subscriber] = [:]
    private var lastNumber = 0

    var isEmpty: Bool { all.isEmpty }

    /// Adds a subscriber with the elements that it receives first, and returns the subscriber's number.
    mutating func add(_ signal: Signal, pending: [Element]) -> Int {
        lastNumber += 1
        all[lastNumber] = Subscriber(signal: signal, pending: pending[...])
        return lastNumber
    }

    /// Removes a subscriber and returns it, so that the caller can release it without a lock.
    @discardableResult
    fileprivate mutating func remove(_ number: Int) -> Subscriber? { all.removeValue(forKey: number) }

    /// Takes the first element that a subscriber has not taken yet; nil if there is none.
    mutating func take(of number: Int) -> Element? {
        let element = all[number]?.pending.popFirst()
        // An empty buffer still retains the elements that were taken, which may retain the `StoreFace`.
        if all[number]?.pending.isEmpty == true { all[number]?.pending = [] }
        return element
    }

    /// Adds an element to each subscriber's list, and collects the signals to send.
    mutating func tell(_ element: Element, _ signals: inout [Signal]) {
        for number in Array(all.keys) {
            all[number]?.pending.append(element)
            if let signal = all[number]?.signal { signals.append(signal) }
        }
    }

    /// Ends the iterations of all subscribers; to be called without a lock.
    func finish() {
        for subscriber in all.values { subscriber.signal.finish() }
    }

    /// Removes and returns all subscribers; later ones have other numbers.
    mutating func takeAll() -> Self {
        defer { all = [:] }
        return self
    }
}

/// One subscriber's position in a sequence.
struct Subscription<Element: Sendable> {
    typealias Place = WritableKeyPath<StoreFace.State, Subscribers<Element>> & Sendable

    fileprivate let face: StoreFace
    fileprivate let subscribers: any Place
    fileprivate let membership: Membership<Element>
    fileprivate var signals: AsyncStream<Void>.Iterator

    /// Returns the next element; nil at the end.
    mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
        while true {
            if let element = take() { return element }
            // An element that was added just before the end may not have been signaled.
            guard await signals.next(isolation: actor) != nil else { return take() }
        }
    }

    private func take() -> Element? { face.state.withLock { $0[keyPath: subscribers].take(of: membership.number) } }
}

/// A subscriber's entry in the list, which is removed with the last copy of its subscription.
///
/// Its elements that were not taken may retain the `StoreFace`, and with it the store.
private final class Membership<Element: Sendable>: Sendable {
    private let face: StoreFace
    private let subscribers: any Subscription<Element>.Place
    let number: Int

    init(_ face: StoreFace, _ subscribers: any Subscription<Element>.Place, _ number: Int) {
        (self.face, self.subscribers, self.number) = (face, subscribers, number)
    }

    deinit {
        let gone = face.state.withLock { $0[keyPath: subscribers].remove(number) }
        withExtendedLifetime(gone) {}
    }
}

extension StoreFace {
    /// Adds a subscriber.
    ///
    /// - Parameters:
    ///   - subscribers: the subscribers to join.
    ///   - pending: returns the elements that the subscriber receives first; called with the lock held.
    /// - Returns: a subscription to the elements that come from now on.
    func subscribe<Element: Sendable>(
        to subscribers: any Subscription<Element>.Place,
        pending: (inout State) -> [Element] = { _ in [] }
    ) -> Subscription<Element> {
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.reader?.attention.isOn = true
            let first = pending(&state)
            return state[keyPath: subscribers].add(Signal(continuation), pending: first)
        }
        if let number {
            continuation.onTermination = { [weak self] termination in
                // An iteration that has finished still takes its remaining elements.
                if case .finished = termination { return }
                let gone = self?.state.withLock { $0[keyPath: subscribers].remove(number) }
                withExtendedLifetime(gone) {}
            }
        } else {
            continuation.finish()
        }
        return Subscription(
            face: self,
            subscribers: subscribers,
            membership: Membership(self, subscribers, number ?? 0),
            signals: signals.makeAsyncIterator()
        )
    }
}
