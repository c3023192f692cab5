import StoreCore

/// A reader of one store's history for a face: what changes in it becomes updates, statuses and messages.
///
/// One reading is under way at a time. A face whose store is replaced gets another reader, and hears nothing more of this one.
final class HistoryReader: AttentiveHistoryListener {
    let service: any HistoryService
    /// The service, if it answers by value.
    let immediate: (any ImmediateHistory)?
    /// What the store says of itself without waiting.
    let availability: (any AvailabilityService)?
    /// The origin of what it reads.
    let origin: StoreOrigin
    /// Off while nobody would be told of a change; the face turns it on.
    let attention = HistoryAttention()
    /// The face, which drops its reader when its queue ends or has another store.
    private var face: StoreFace { origin.face }
    /// The time by the store's clock when the reader was made.
    private let start: PayloadDate
    private let state = Locked(State())

    private struct State {
        /// Whether all that was revoked before the reader began has been passed over.
        var hasBegun = false
        /// The place behind the last revocation that was read.
        var place: String?
        /// The subscriptions as they were last read, by their first transaction; nil while nobody listens.
        var subscriptions: [String: SubscriptionSummary]?
        /// The number of changes of which the store has told.
        var changes = 0
        /// The number of changes at the time when somebody began to listen to subscriptions; nil while nobody listens.
        var changesAtSubscription: Int?
        var isUnderWay = false
        /// Whether another reading is to follow.
        var mustRepeat = false
        /// The timer that repeats a failed reading, with a number of its own; nil while none is to be repeated.
        var retry: (number: Int, token: TimerToken?)?
        var lastRetry = 0
        /// The pause before a failed reading is repeated, in seconds.
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

    /// Reads what is new, for those who listen.
    func read() {
        guard face.reads(with: self) else { return }
        face.tellWaiting()
        let mustBegin = state.withLock { state in
            guard !state.hasBegun || face.hasHistorySubscribers || face.hasRevokedProducts else {
                // Whoever comes next is told of changes from then on.
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

    /// Looks up the transactions of the products of which the queue has told that they are revoked.
    private func readRevokedProducts() {
        guard let (product, count) = face.revokedProduct(readWith: self) else { return readRevocations() }
        readRevocations(of: product, count, after: nil, [])
    }

    /// Finds the transactions of a product's newest revocations, each of which may be of several, all of one date.
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
            // Without a subscriber the place stays, and the next one is told.
            let isTaken = hasBegun ? face.tellRevocations(transactions, readWith: self) : true
            let isMore = isTaken && page.next != nil && page.next != place
            state.withLock { state in
                if isTaken { state.place = page.next ?? place }
                if !isMore { state.hasBegun = true }
            }
            isMore ? readRevocations() : readSubscriptions()
        }
    }

    /// Whether a transaction in the first answer was revoked since the reader was made: the answer may be a late one.
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

    /// Tells of subscriptions that differ from those read last, or may differ from those that nobody could read.
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

    /// Has a failed reading repeated after a pause, unless a repetition of an earlier one waits.
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

// What the reader asks of its face, and tells it. A reader of an earlier store is told that nobody listens.
extension StoreFace {
    fileprivate var hasUpdateSubscribers: Bool { state.withLock { !$0.updates.isEmpty } }
    fileprivate var hasStatusSubscribers: Bool { state.withLock { !($0.statuses.isEmpty && $0.messages.isEmpty) } }
    fileprivate var hasHistorySubscribers: Bool { hasUpdateSubscribers || hasStatusSubscribers }
    fileprivate func reads(with reader: HistoryReader) -> Bool { state.withLock { $0.reader === reader } }

    /// Has subscribers to updates take again what the history did not show.
    fileprivate func historyChanged(readWith reader: HistoryReader) {
        state.withLock { if $0.reader === reader { $0.updates.historyChanged(&$0.signals) } }
    }

    /// Has those who wait for an arrival look whether they wait in vain now.
    fileprivate func tellWaiting() { state.withLock { $0.arrivals.tell([], &$0.signals) } }

    /// Has a reader hear of no changes until somebody listens again, unless somebody does.
    fileprivate func relax(_ reader: HistoryReader) {
        state.withLock { if !$0.needsHistory { reader.attention.isOn = false } }
    }

    fileprivate var hasRevokedProducts: Bool { state.withLock { !$0.revoked.isEmpty } }

    /// A product whose revoked transactions are to be looked up, and the number of its revocations; nil if there is none.
    fileprivate func revokedProduct(readWith reader: HistoryReader) -> (String, count: Int)? {
        state.withLock { state in
            guard state.reader === reader, let product = state.revoked.first else { return nil }
            return (product, state.revoked.count { $0.isExactly(product) })
        }
    }

    /// Tells of the transactions of a revoked product, or leaves them to the next subscriber.
    fileprivate func tellRevocations(
        _ transactions: [TransactionPayload],
        of product: String,
        _ count: Int,
        readWith reader: HistoryReader
    ) {
        let taken = state.withLock { state -> Int? in
            guard state.reader === reader else { return nil }
            state.updates.tellRevocations(transactions, &state.signals)
            // It may have been told again meanwhile.
            for _ in 0..<count {
                if let index = state.revoked.firstIndex(where: product.isExactly) { state.revoked.remove(at: index) }
            }
            return transactions.isEmpty ? nil : state.takenNotice
        }
        // Subscribers have heard of the change of the history before.
        if let taken { queue?.acknowledgeRevocations(through: taken) }
    }

    /// Tells of revoked transactions, or leaves them to the next subscriber.
    fileprivate func keepRevocations(_ transactions: [TransactionPayload], readWith reader: HistoryReader) {
        state.withLock { state in
            if state.reader === reader { state.updates.tellRevocations(transactions, &state.signals) }
        }
    }

    /// Tells of revoked transactions; returns whether anybody listens.
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

/// An unfinished transaction that the queue has told of.
struct KnownTransaction: Sendable {
    var transaction: SKPaymentTransaction
    /// Whether a purchase has returned it, so that it is no update.
    var isReturned = false

    init(_ transaction: SKPaymentTransaction, isReturned: Bool = false) {
        (self.transaction, self.isReturned) = (transaction, isReturned)
    }
}
