import StoreCore

/// The subscribers to updates, each with what it has not taken yet.
struct UpdateSubscribers: Sendable {
    private struct Subscriber: Sendable {
        /// Signals that something can be taken.
        let signal: AsyncStream<Void>.Continuation
        /// What it has been told of, and is still unfinished.
        var told: Set<String>
        var pending: ArraySlice<String>
    }

    private var all: [Int: Subscriber] = [:]
    private var lastNumber = 0

    var isEmpty: Bool { all.isEmpty }

    /// Adds a subscriber and returns its number.
    mutating func add(_ signal: AsyncStream<Void>.Continuation, unfinished: [String]) -> Int {
        lastNumber += 1
        all[lastNumber] = Subscriber(signal: signal, told: Set(unfinished), pending: unfinished[...])
        return lastNumber
    }

    mutating func remove(_ number: Int) { all[number] = nil }

    /// Tells each subscriber of those transactions that it has not been told of.
    mutating func tell(_ identifiers: [String]) {
        for number in all.keys {
            for identifier in identifiers where all[number]?.told.insert(identifier).inserted == true {
                all[number]?.pending.append(identifier)
            }
            all[number]?.signal.yield()
        }
    }

    /// Tells each subscriber of transactions, whatever it has been told of them.
    mutating func tellAgain(_ identifiers: [String]) {
        for number in all.keys {
            all[number]?.pending += identifiers
            all[number]?.signal.yield()
        }
    }

    /// Takes what a subscriber has not taken yet, at most so many as a page of the history has.
    mutating func take(of number: Int) -> [String] {
        guard let pending = all[number]?.pending else { return [] }
        let page = pending.prefix(HistoryQuery.defaultLimit)
        all[number]?.pending.removeFirst(page.count)
        return Array(page)
    }

    /// Forgets a finished transaction: should its identifier come again, it is news.
    mutating func forget(_ identifier: String) {
        for number in all.keys { all[number]?.told.remove(identifier) }
    }

    /// Forgets what subscribers were told of, also what they have yet to take.
    mutating func forget() {
        for number in all.keys {
            all[number]?.told = []
            all[number]?.pending = []
        }
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
