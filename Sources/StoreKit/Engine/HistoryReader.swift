import StoreCore

/// A reader of one store's history, which converts changes to updates, statuses and messages for a `StoreFace`.
///
/// Only one reading is in progress at a time. The reader of a store that was replaced is ignored.
final class HistoryReader: AttentiveHistoryListener {
    let service: any HistoryService
    /// The same service, if it can also return values without a callback.
    let immediate: (any ImmediateHistory)?
    /// The store's reports of its own availability, read without waiting.
    let availability: (any AvailabilityService)?
    /// The store and the `StoreFace` that the values read belong to.
    let origin: StoreOrigin
    /// Whether the store reports changes: off while there is no subscriber; the `StoreFace` turns it on.
    let attention = HistoryAttention()
    /// The owner of the reader, which releases it when its queue ends or has another store.
    private var face: StoreFace { origin.face }
    /// The time on the store's clock when the reader was created.
    private let start: PayloadDate
    private let state = Locked(State())

    private struct State {
        /// Whether the revocations from before the reader's creation have been skipped.
        var hasBegun = false
        /// The position after the last revocation that was read.
        var place: String?
        /// The subscriptions as last read, by their first transaction; nil while no task listens for statuses.
        var subscriptions: [String: SubscriptionSummary]?
        /// The number of changes that the store has reported.
        var changes = 0
        /// The value of `changes` when a task was first found to listen for statuses or messages; nil while none does.
        var changesAtSubscription: Int?
        var isUnderWay = false
        /// Whether to read again after the reading in progress.
        var mustRepeat = false
        /// The timer that repeats a failed reading, and the number of this retry; nil if there is no retry.
        var retry: (number: Int, token: TimerToken?)?
        var lastRetry = 0
        /// The delay before a failed reading is repeated, in seconds.
        var pause: Double = 1
    }

    init(_ service: any HistoryService, of store: any StoreBackend, storeChanges: Int, face: StoreFace) {
        (self.service, origin) = (service, StoreOrigin(face, store, storeChanges: storeChanges))
        immediate = service as? any ImmediateHistory
        availability = store.services.availability
        start = PayloadDate(store.clock.now)
    }

    deinit { state.withLock { $0.retry?.token }?.cancel() }

    func begin() {
        service.follow(self)
        read()
    }

    func historyChanged() {
        state.withLock { $0.changes += 1 }
        face.historyChanged(readWith: self)
        read()
    }

    /// Reads changes for the subscribers; if a reading is in progress, reads again after it.
    func read() {
        guard face.reads(with: self) else { return }
        face.tellWaiting()
        let mustBegin = state.withLock { state in
            guard !state.hasBegun || face.hasHistorySubscribers || face.hasRevokedProducts else {
                // Forgets the state, so that the next subscriber is notified of later changes only.
                (state.subscriptions, state.changesAtSubscription) = (nil, nil)
                face.relax(self)
                return false
            }
            if face.hasStatusSubscribers, state.changesAtSubscription == nil {
                state.changesAtSubscription = state.changes
            }
            state.mustRepeat = state.isUnderWay
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
        if mustBegin { readRevokedProducts() }
    }

    /// Looks up the transactions of products that the queue has reported as revoked.
    private func readRevokedProducts() {
        guard let (product, count) = face.revokedProduct(readWith: self) else { return readRevocations() }
        readRevocations(of: product, count, after: nil, [])
    }

    /// Finds the transactions of a product's newest revocations.
    ///
    /// A revocation may affect several transactions, which then have the same date.
    private func readRevocations(
        of product: String,
        _ count: Int,
        after place: String?,
        _ found: [TransactionPayload]
    ) {
        var query = HistoryQuery(.revoked, ofProduct: product)
        query.cursor = place
        service.transactions(query) { [weak self] answer in
            guard let self else { return }
            guard case .success(let page) = answer else { return readingFailed() }
            let all = found + page.transactions.map(\.content)
            let dates = Set(all.compactMap(\.revocationDate)).sorted().suffix(count)
            let newest = all.filter { $0.revocationDate.map(dates.contains) ?? false }
            if let next = page.next, next != place {
                return readRevocations(of: product, count, after: next, newest)
            }
            face.tellRevocations(newest, of: product, count, readWith: self)
            readRevokedProducts()
        }
    }

    private func readRevocations() {
        let (hasBegun, place) = state.withLock { ($0.hasBegun, $0.place) }
        guard !hasBegun || face.hasUpdateSubscribers else { return readSubscriptions() }
        var query = HistoryQuery(.revoked)
        query.cursor = place
        service.transactions(query) { [weak self] answer in
            guard let self else { return }
            guard case .success(let page) = answer else { return readingFailed() }
            let transactions = page.transactions.map(\.content)
            if !hasBegun { face.keepRevocations(transactions.filter(isNews), readWith: self) }
            // Without a subscriber the position does not advance: the next one receives these revocations.
            let isTaken = hasBegun ? face.tellRevocations(transactions, readWith: self) : true
            let isMore = isTaken && page.next != nil && page.next != place
            state.withLock { state in
                if isTaken { state.place = page.next ?? place }
                if !isMore { state.hasBegun = true }
            }
            isMore ? readRevocations() : readSubscriptions()
        }
    }

    /// Returns whether a transaction was revoked after the reader's creation, as it may be in a late first response.
    private func isNews(_ transaction: TransactionPayload) -> Bool {
        guard let date = transaction.revocationDate else { return false }
        return date > start || date == start && state.withLock { $0.changes > 0 }
    }

    private func readSubscriptions() {
        guard face.hasStatusSubscribers else {
            state.withLock { ($0.subscriptions, $0.changesAtSubscription) = (nil, nil) }
            return readingEnded()
        }
        service.subscriptions(.all) { [weak self] answer in
            guard let self else { return }
            guard case .success(let subscriptions) = answer else { return readingFailed() }
            compare(subscriptions)
            readingEnded()
        }
    }

    /// Reports subscriptions that changed since the last reading, or may have changed because earlier readings failed.
    private func compare(_ subscriptions: [SignedSubscription]) {
        let new = subscriptions.map { ($0, SubscriptionSummary($0)) }
        let summaries = Dictionary(
            new.map { ($0.renewal.content.originalTransactionId, $1) },
            uniquingKeysWith: { $1 }
        )
        let old = state.withLock { state -> [String: SubscriptionSummary]? in
            defer { state.subscriptions = summaries }
            if state.subscriptions == nil, state.changes != state.changesAtSubscription { return [:] }
            return state.subscriptions
        }
        guard let old else { return }
        for (subscription, summary) in new {
            let earlier = old[subscription.renewal.content.originalTransactionId]
            guard earlier != summary else { continue }
            face.tell(subscription, summary.messages(since: earlier), readWith: self)
        }
    }

    /// Schedules a failed reading to be repeated after a delay, unless a repetition is pending already.
    private func readingFailed() {
        let retry = state.withLock { state -> (number: Int, pause: Double)? in
            state.isUnderWay = false
            if state.retry != nil { return nil }
            state.lastRetry += 1
            state.retry = (state.lastRetry, nil)
            defer { state.pause = min(state.pause * 2, StoreFace.longestPause) }
            return (state.lastRetry, state.pause)
        }
        guard let retry, let clock = face.queue?.storeSetup.clock else { return }
        let token = clock.schedule(at: clock.now + retry.pause) { [weak self] in self?.repeatReading(retry.number) }
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
            state.isUnderWay = false
            state.pause = 1
            return (state.mustRepeat, state.retry.take())
        }
        retry?.token?.cancel()
        if mustRepeat { read() }
    }
}

// Queries and reports of a reader to its `StoreFace`, which ignores a reader of a replaced store.
extension StoreFace {
    fileprivate var hasUpdateSubscribers: Bool { state.withLock { !$0.updates.isEmpty } }
    fileprivate var hasStatusSubscribers: Bool { state.withLock { !($0.statuses.isEmpty && $0.messages.isEmpty) } }
    fileprivate var hasHistorySubscribers: Bool { hasUpdateSubscribers || hasStatusSubscribers }
    fileprivate func reads(with reader: HistoryReader) -> Bool { state.withLock { $0.reader === reader } }

    /// Makes subscribers to updates request again the transactions that the history did not contain.
    fileprivate func historyChanged(readWith reader: HistoryReader) {
        state.withLock { if $0.reader === reader { $0.updates.historyChanged(&$0.signals) } }
    }

    /// Makes tasks that wait for a transaction in the queue check whether it can still arrive there.
    fileprivate func tellWaiting() { state.withLock { $0.arrivals.tell([], &$0.signals) } }

    /// Turns off the store's reports of changes to a reader, unless there is a subscriber.
    fileprivate func relax(_ reader: HistoryReader) {
        state.withLock { if !$0.needsHistory { reader.attention.isOn = false } }
    }

    fileprivate var hasRevokedProducts: Bool { state.withLock { !$0.revoked.isEmpty } }

    /// A product whose revoked transactions must be looked up, and the number of its revocations; nil if there is none.
    fileprivate func revokedProduct(readWith reader: HistoryReader) -> (String, count: Int)? {
        state.withLock { state in
            guard state.reader === reader, let product = state.revoked.first else { return nil }
            return (product, state.revoked.count { $0.isExactly(product) })
        }
    }

    /// Reports the transactions of a revoked product, or stores them for the next subscriber.
    fileprivate func tellRevocations(
        _ transactions: [TransactionPayload],
        of product: String,
        _ count: Int,
        readWith reader: HistoryReader
    ) {
        let taken = state.withLock { state -> Int? in
            guard state.reader === reader else { return nil }
            state.updates.tellRevocations(transactions, &state.signals)
            // Removes only the revocations that were looked up: the queue may have reported another one meanwhile.
            for _ in 0..<count {
                if let index = state.revoked.firstIndex(where: product.isExactly) { state.revoked.remove(at: index) }
            }
            return transactions.isEmpty ? nil : state.takenNotice
        }
        // Nothing is left to take: subscribers had received these revocations when the history changed.
        if let taken { queue?.acknowledgeRevocations(through: taken) }
    }

    /// Reports revoked transactions, or stores them for the next subscriber.
    fileprivate func keepRevocations(_ transactions: [TransactionPayload], readWith reader: HistoryReader) {
        state.withLock { state in
            if state.reader === reader { state.updates.tellRevocations(transactions, &state.signals) }
        }
    }

    /// Reports revoked transactions; without a subscriber, returns false and stores nothing.
    fileprivate func tellRevocations(_ transactions: [TransactionPayload], readWith reader: HistoryReader) -> Bool {
        state.withLock { state in
            guard state.reader === reader, !state.updates.isEmpty else { return false }
            state.updates.tellRevocations(transactions, &state.signals)
            return true
        }
    }

    fileprivate func tell(
        _ subscription: SignedSubscription,
        _ reasons: [Message.Reason],
        readWith reader: HistoryReader
    ) {
        let status = Product.SubscriptionInfo.Status(subscription, reader.origin)
        state.withLock { state in
            guard state.reader === reader else { return }
            state.statuses.tell(status, &state.signals)
            for reason in reasons { state.messages.tell(Message(reason: reason), &state.signals) }
        }
    }
}

/// An unfinished transaction that the queue has reported.
struct KnownTransaction: Sendable {
    var transaction: SKPaymentTransaction
    /// Whether `Product.purchase` has returned the transaction, so that it is not an update.
    var isReturned = false

    init(_ transaction: SKPaymentTransaction, isReturned: Bool = false) {
        (self.transaction, self.isReturned) = (transaction, isReturned)
    }
}
