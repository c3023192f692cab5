import StoreCore

/// A reader of one store's history, which converts changes to updates, statuses and messages for a driver.
///
/// Only one reading is in progress at a time. The reader of a store that was replaced is ignored.
final class HistoryReader: AttentiveHistoryListener {
    let service: any HistoryService
    /// The same service, if it can also return values without a callback.
    let immediate: (any ImmediateHistory)?
    /// The store's reports of its own availability, read without waiting.
    let availability: (any AvailabilityService)?
    /// The store's quirks, if it runs in this process.
    let quirks: (any QuirkService)?
    /// The store and the driver that the values read belong to.
    let origin: StoreOrigin
    /// The switch for the store's reports of changes.
    ///
    /// The driver turns it on; this reader turns it off when no one needs the reports.
    let attention = HistoryAttention()
    /// The driver, which owns the reader, and releases it when the queue ends or gets another store.
    private var driver: StoreKit2Driver { origin.driver }
    /// The time on the store's clock when the reader was created.
    let start: PayloadDate
    private let state = Locked(State())

    private struct State {
        /// Whether the revocations from before the reader's creation have been skipped.
        var hasBegun = false
        /// The position after the last revocation that was read.
        var cursor: String?
        /// The subscriptions as last read, by their first transaction; nil before the first reading, and without a
        /// subscriber.
        var subscriptions: [String: SubscriptionSummary]?
        /// The number of changes that the store has reported.
        var changes = 0
        /// The value of `changes` when the first subscriber to statuses or messages was found; nil while there is none.
        var changesAtSubscription: Int?
        var isReading = false
        /// Whether to read again after the reading in progress.
        var mustRepeat = false
        /// The pending retry of a failed reading: its number and its timer; nil if none is pending.
        var retry: (number: Int, token: TimerToken?)?
        var lastRetry = 0
        /// The delay before a failed reading is repeated, in seconds.
        var delay: Double = 1
    }

    init(_ service: any HistoryService, of store: any StoreBackend, storeChanges: Int, driver: StoreKit2Driver) {
        (self.service, origin) = (service, StoreOrigin(driver, store, storeChanges: storeChanges))
        immediate = service as? any ImmediateHistory
        let services = store.services
        (availability, quirks) = (services.availability, services.quirks)
        start = PayloadDate(store.clock.now)
    }

    deinit { state.withLock { $0.retry?.token }?.cancel() }

    func begin() {
        service.follow(self)
        read()
    }

    func historyChanged() {
        state.withLock { $0.changes += 1 }
        handle { $0.updates.historyChanged(&$1) }
        read()
    }

    /// Reads changes for the subscribers; if a reading is in progress, reads again after it.
    func read() {
        // Wakes tasks that wait for a transaction to arrive in the queue: they check whether it still can.
        guard handle({ $0.arrivals.publish([], &$1) }) != nil else { return }
        let mustBegin = state.withLock { state in
            guard !state.hasBegun || driver.state.withLock({ $0.machine.mustReadHistory }) else {
                // Forgets the state, so that the next subscriber is notified of later changes only.
                (state.subscriptions, state.changesAtSubscription) = (nil, nil)
                driver.state.withLock { if !$0.machine.needsHistory { attention.isOn = false } }
                return false
            }
            if state.changesAtSubscription == nil, hasStatusSubscribers { state.changesAtSubscription = state.changes }
            state.mustRepeat = state.isReading
            defer { state.isReading = true }
            return !state.isReading
        }
        if mustBegin { readRevokedProducts() }
    }

    /// Looks up the transactions of products that the queue has reported as revoked.
    private func readRevokedProducts() {
        guard let product = handle({ machine, _ in machine.revokedProduct }) else { return readRevocations() }
        readRevocations(of: product, after: nil, [])
    }

    /// Looks up the transactions of a product's newest revocations.
    ///
    /// A revocation may affect several transactions, which all have its date.
    private func readRevocations(
        of product: (identifier: String, count: Int),
        after cursor: String?,
        _ found: [TransactionPayload]
    ) {
        var query = HistoryQuery(.revoked, ofProduct: product.identifier)
        query.cursor = cursor
        service.transactions(query) { [weak self] response in
            guard let self else { return }
            guard case .success(let page) = response else { return readingFailed() }
            let all = found + page.transactions.map(\.content)
            let dates = Set(all.compactMap(\.revocationDate)).sorted().suffix(product.count)
            let newest = all.filter { $0.revocationDate.map(dates.contains) ?? false }
            if let next = page.next, next != cursor { return readRevocations(of: product, after: next, newest) }
            handle { $0.revocationsRead(newest, of: product, &$1) }
            readRevokedProducts()
        }
    }

    private func readRevocations() {
        let (hasBegun, cursor) = state.withLock { ($0.hasBegun, $0.cursor) }
        guard !hasBegun || driver.state.withLock({ !$0.machine.updates.isEmpty }) else { return readSubscriptions() }
        var query = HistoryQuery(.revoked)
        query.cursor = cursor
        service.transactions(query) { [weak self] response in
            guard let self else { return }
            guard case .success(let page) = response else { return readingFailed() }
            var transactions = page.transactions.map(\.content)
            if !hasBegun { transactions = transactions.filter(isNew) }
            // Without a subscriber, the cursor does not advance, so the next subscriber receives these revocations.
            let isTaken = handle { $0.revocationsRead(transactions, storesMissed: !hasBegun, &$1) } == true || !hasBegun
            let isMore = isTaken && page.next != nil && page.next != cursor
            state.withLock { state in
                if isTaken { state.cursor = page.next ?? cursor }
                if !isMore { state.hasBegun = true }
            }
            isMore ? readRevocations() : readSubscriptions()
        }
    }

    /// Returns whether a transaction was revoked after the reader was created.
    ///
    /// A first response that arrives late may contain such transactions.
    private func isNew(_ transaction: TransactionPayload) -> Bool {
        guard let date = transaction.revocationDate else { return false }
        return date > start || date == start && state.withLock { $0.changes > 0 }
    }

    private func readSubscriptions() {
        guard hasStatusSubscribers else {
            state.withLock { ($0.subscriptions, $0.changesAtSubscription) = (nil, nil) }
            return readingEnded()
        }
        service.subscriptions(.all) { [weak self] response in
            guard let self else { return }
            guard case .success(let subscriptions) = response else { return readingFailed() }
            compare(subscriptions)
            readingEnded()
        }
    }

    /// Reports the subscriptions that changed since the last reading.
    ///
    /// If the store reported changes before the first successful reading, all subscriptions are reported.
    private func compare(_ subscriptions: [SignedSubscription]) {
        let new = subscriptions.map { ($0, SubscriptionSummary($0)) }
        let summaries = Dictionary(new.map { ($0.renewal.content.originalTransactionId, $1) }, uniquingKeysWith: { $1 })
        let old = state.withLock { state -> [String: SubscriptionSummary]? in
            defer { state.subscriptions = summaries }
            if state.subscriptions == nil, state.changes != state.changesAtSubscription { return [:] }
            return state.subscriptions
        }
        guard let old else { return }
        for (subscription, summary) in new {
            let earlier = old[subscription.renewal.content.originalTransactionId]
            guard earlier != summary else { continue }
            let status = SubscriptionStatus(subscription, origin)
            handle { $0.statusChanged(status, summary.messages(since: earlier), &$1) }
        }
    }

    /// Schedules another attempt after a failed reading, unless one is pending already.
    private func readingFailed() {
        let retry = state.withLock { state -> (number: Int, delay: Double)? in
            state.isReading = false
            if state.retry != nil { return nil }
            state.lastRetry += 1
            state.retry = (state.lastRetry, nil)
            defer { state.delay = min(state.delay * 2, StoreKit2Driver.maximumDelay) }
            return (state.lastRetry, state.delay)
        }
        guard let retry, let clock = driver.queue?.storeSetup.clock else { return }
        let token = clock.schedule(at: clock.now + retry.delay) { [weak self] in self?.repeatReading(retry.number) }
        let isAwaited = state.withLock { state in
            guard state.retry?.number == retry.number else { return false }
            state.retry?.token = token
            return true
        }
        if !isAwaited { token.cancel() }
    }

    private func repeatReading(_ number: Int) {
        let isDue = state.withLock { state in
            guard state.retry?.number == number else { return false }
            state.retry = nil
            return true
        }
        if isDue { read() }
    }

    private func readingEnded() {
        let (mustRepeat, retry) = state.withLock { state in
            state.isReading = false
            state.delay = 1
            return (state.mustRepeat, state.retry.take())
        }
        retry?.token?.cancel()
        if mustRepeat { read() }
    }

    private var hasStatusSubscribers: Bool { driver.state.withLock { $0.machine.hasStatusSubscribers } }

    /// Passes an event to the driver's machine, and returns the event's result.
    ///
    /// If the driver has released this reader, does nothing and returns nil.
    @discardableResult
    private func handle<R>(_ event: (inout StoreKit2Machine, inout StoreKit2Machine.Actions) -> R?) -> R? {
        driver.handle { $0.reader === self ? event(&$0.machine, &$1) : nil }
    }
}
