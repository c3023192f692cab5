import StoreCore

/// The subscribers to a sequence, each with a list of its own of what it has not taken yet.
struct Subscribers<Element: Sendable>: Sendable {
    fileprivate struct Subscriber: Sendable {
        let signal: Signal
        var pending: ArraySlice<Element>
    }

    private var all: [Int: Subscriber] = [:]
    private var lastNumber = 0

    var isEmpty: Bool { all.isEmpty }

    /// Adds a subscriber, which is to take some elements first, and returns its number.
    mutating func add(_ signal: Signal, pending: [Element]) -> Int {
        lastNumber += 1
        all[lastNumber] = Subscriber(signal: signal, pending: pending[...])
        return lastNumber
    }

    /// Removes a subscriber, and returns it for the caller to release without a lock.
    @discardableResult
    fileprivate mutating func remove(_ number: Int) -> Subscriber? { all.removeValue(forKey: number) }

    /// Takes the first element that a subscriber has not taken yet; nil if there is none.
    mutating func take(of number: Int) -> Element? {
        let element = all[number]?.pending.popFirst()
        // The buffer holds what was taken, too: an element may hold the face.
        if all[number]?.pending.isEmpty == true { all[number]?.pending = [] }
        return element
    }

    /// Gives an element to each subscriber, and leaves the signals.
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

/// One subscriber's place in a sequence.
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
            // What came before the end was perhaps not signaled any more.
            guard await signals.next(isolation: actor) != nil else { return take() }
        }
    }

    private func take() -> Element? { face.state.withLock { $0[keyPath: subscribers].take(of: membership.number) } }
}

/// A subscriber's place on the list, which it leaves with the last copy of its subscription.
///
/// What it has not taken may hold the face, and with it the store.
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
    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - subscribers: the subscribers to join.
    ///   - pending: takes what the subscriber is to hear first; called with the face's lock held.
    /// - Returns: a subscription to what comes from now on.
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
                // One that has ended still takes what it has.
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
