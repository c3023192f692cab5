import StoreCore

/// A signal that wakes a subscriber because there is an element to take.
///
/// The machine only names the signals to send; the driver sends them after releasing its lock. Under the lock, sending
/// could deadlock: waking a task takes a lock that the runtime holds while it cancels the task, and the end of a
/// canceled iteration waits for the driver's lock.
typealias Signal = AsyncStream<Void>.Continuation

/// The subscribers to a sequence, each with its own list of the elements that it has not taken yet.
struct Subscribers<Element: Sendable>: Sendable {
    fileprivate struct Subscriber: Sendable {
        let signal: Signal
        var pending: ArraySlice<Element>
    }

    private var all: [Int: Subscriber] = [:]
    private var lastNumber = 0
    /// Whether elements that are published while there is no subscriber are stored for the next one.
    private let storesMissed: Bool
    private var missed: [Element] = []

    init(storesMissed: Bool = false) { self.storesMissed = storesMissed }

    var isEmpty: Bool { all.isEmpty }
    var signals: [Signal] { all.values.map(\.signal) }

    /// Adds a subscriber, which first receives the stored elements, and returns its number.
    mutating func add(_ signal: Signal) -> Int {
        lastNumber += 1
        all[lastNumber] = Subscriber(signal: signal, pending: missed[...])
        missed = []
        return lastNumber
    }

    /// Removes a subscriber and returns it, so that the caller can release it without a lock.
    fileprivate mutating func remove(_ number: Int) -> Subscriber? { all.removeValue(forKey: number) }

    /// Removes all subscribers; later ones have other numbers.
    mutating func removeAll() { all = [:] }

    mutating func discardMissed() { missed = [] }

    /// Takes the first element that a subscriber has not taken yet; nil if there is none.
    mutating func take(of number: Int) -> Element? {
        let element = all[number]?.pending.popFirst()
        // An empty buffer still retains the elements that were taken, which may retain the driver.
        if all[number]?.pending.isEmpty == true { all[number]?.pending = [] }
        return element
    }

    /// Adds an element to each subscriber's list.
    mutating func publish(_ element: Element, _ actions: inout StoreKit2Machine.Actions) {
        if all.isEmpty, storesMissed { missed.append(element) }
        for number in Array(all.keys) {
            all[number]?.pending.append(element)
            if let signal = all[number]?.signal { actions.signals.append(signal) }
        }
    }
}

/// One subscriber's position in a sequence.
struct Subscription<Element: Sendable> {
    typealias Path = WritableKeyPath<StoreKit2Machine, Subscribers<Element>> & Sendable

    fileprivate let driver: StoreKit2Driver
    fileprivate let subscribers: any Path
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

    private func take() -> Element? {
        driver.state.withLock { $0.machine[keyPath: subscribers].take(of: membership.number) }
    }
}

/// A subscriber's entry in the list, which is removed with the last copy of its subscription.
///
/// Removal releases the elements that the subscriber has not taken, which may retain the driver and the store.
private final class Membership<Element: Sendable>: Sendable {
    private let driver: StoreKit2Driver
    private let subscribers: any Subscription<Element>.Path
    let number: Int

    init(_ driver: StoreKit2Driver, _ subscribers: any Subscription<Element>.Path, _ number: Int) {
        (self.driver, self.subscribers, self.number) = (driver, subscribers, number)
    }

    deinit { driver.unsubscribe(number, from: subscribers) }
}

extension StoreKit2Driver {
    /// Adds a subscriber to the elements that come from now on.
    private func subscribe<Element>(to subscribers: any Subscription<Element>.Path) -> Subscription<Element> {
        let (number, signals) = signals(
            subscribe: { $0.hasEnded ? nil : $0[keyPath: subscribers].add($1) },
            unsubscribe: { $0.unsubscribe($1, from: subscribers) }
        )
        let membership = Membership(self, subscribers, number ?? 0)
        return Subscription(driver: self, subscribers: subscribers, membership: membership, signals: signals)
    }

    /// Adds a subscriber, and returns its number and the signals that wake it; the number is nil if the queue has
    /// ended.
    func signals(
        subscribe: (inout StoreKit2Machine, Signal) -> Int?,
        unsubscribe: @escaping @Sendable (StoreKit2Driver, Int) -> Void
    ) -> (number: Int?, AsyncStream<Void>.Iterator) {
        let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.reader?.attention.isOn = true
            return subscribe(&state.machine, signal)
        }
        guard let number else {
            signal.finish()
            return (nil, signals.makeAsyncIterator())
        }
        signal.onTermination = { [weak self] termination in
            // An iteration that has finished still takes its remaining elements.
            if case .cancelled = termination, let self { unsubscribe(self, number) }
        }
        return (number, signals.makeAsyncIterator())
    }

    fileprivate func unsubscribe<Element>(_ number: Int, from subscribers: any Subscription<Element>.Path) {
        let subscriber = state.withLock { $0.machine[keyPath: subscribers].remove(number) }
        // Released without the lock.
        withExtendedLifetime(subscriber) {}
    }

    /// Subscribes to the transactions that the queue reports from now on; returns nil if the queue has ended.
    ///
    /// An empty list reports a change of the history.
    func subscribeToArrivals() -> Subscription<[String]>? {
        if state.withLock({ $0.machine.hasEnded }) { return nil }
        followHistory()
        return subscribe(to: \.arrivals)
    }

    func subscribeToStatuses() -> Subscription<SubscriptionStatus> { readHistory(for: \.statuses) }
    func subscribeToMessages() -> Subscription<Message> { readHistory(for: \.messages) }
    func subscribeToStorefronts() -> Subscription<StoreStorefront> { subscribe(to: \.storefronts) }
    func subscribeToIntents() -> Subscription<PurchaseIntent> { subscribe(to: \.intents) }

    /// Adds a subscriber, and starts to read the current subscriptions, with which later readings are compared.
    private func readHistory<Element>(for subscribers: any Subscription<Element>.Path) -> Subscription<Element> {
        defer { readHistory() }
        return subscribe(to: subscribers)
    }
}
