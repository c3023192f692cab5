import Foundation
import StoreCore

extension StoreFace {
    /// Tells the subscribers to updates of transactions, each of one that it has not been told of.
    func tell(_ identifiers: [String], _ state: inout State) {
        for (number, continuation) in state.updates.all where state.told[number] != nil {
            let new = identifiers.filter { state.told[number]?.insert($0).inserted ?? false }
            if !new.isEmpty { continuation.yield(new) }
        }
    }

    /// Tells those who wait for an arrival, who have no memory, what the queue has now.
    func tellArrival(_ identifiers: [String], _ state: State) {
        for (number, continuation) in state.updates.all where state.told[number] == nil {
            continuation.yield(identifiers)
        }
    }

    /// Begins to listen to updates: first to all that is unfinished and was not returned by a purchase.
    func updateStream() -> AsyncStream<[String]> {
        // The queue has told its observers of what is unfinished, perhaps before the face was one of them.
        let queued = queue?.transactions ?? []
        let stream = subscribe(to: \.updates) { state, number, continuation in
            for transaction in queued where transaction.isGranted && !transaction.isFinished {
                guard let identifier = transaction.transactionIdentifier else { continue }
                state.known[identifier] = transaction
            }
            let unfinished = state.known.values.filter { !$0.isFinished }
                .compactMap(\.transactionIdentifier).filter { !state.returned.contains($0) }
                .sorted { ($0.count, $0) < ($1.count, $1) }
            state.told[number] = Set(unfinished)
            let first = unfinished + state.unheard.filter { !unfinished.contains($0) }
            state.unheard = []
            if !first.isEmpty { continuation.yield(first) }
        } end: { state, number in
            state.told[number] = nil
        }
        followHistory()
        return stream
    }

    func updates() -> Transaction.Transactions { Transaction.Transactions(.updates(self)) }
}

extension SKPaymentTransaction {
    fileprivate var isGranted: Bool { transactionState == .purchased || transactionState == .restored }
}

// MARK: - Changes of the history

/// The face's place in its store's history.
struct HistoryReading: Sendable {
    /// The store that is followed.
    var service: (any HistoryService)?
    /// The place behind the last revocation that was read; nil until there is one.
    var revocations: String?
    /// The revoked transactions that subscribers were told of.
    var revoked: Set<String> = []
    /// The subscriptions as they were last read, by their first transaction.
    var subscriptions: [String: SubscriptionSummary]?
    /// Whether a reading is under way, and whether another is to follow.
    var isUnderWay = false
    var mustRepeat = false
}

/// What tells two states of a subscription apart: all but dates of signing.
struct SubscriptionSummary: Hashable, Sendable {
    let state: SubscriptionState
    private let transaction: TransactionPayload
    private let renewal: RenewalPayload

    init(_ subscription: SignedSubscription) {
        state = subscription.state
        var (transaction, renewal) = (subscription.transaction.payload, subscription.renewal.payload)
        let never = PayloadDate(milliseconds: 0)
        (transaction.signedDate, renewal.signedDate) = (never, never)
        (transaction.deviceVerification, renewal.deviceVerification) = (nil, nil)
        (transaction.deviceVerificationNonce, renewal.deviceVerificationNonce) = (nil, nil)
        (self.transaction, self.renewal) = (transaction, renewal)
    }

    /// The messages that a store has for the user on the way from an earlier state.
    func messages(since earlier: SubscriptionSummary?) -> [Message.Reason] {
        var reasons: [Message.Reason] = []
        if renewal.priceIncreaseStatus == .pending, earlier?.renewal.priceIncreaseStatus != .pending {
            reasons.append(.priceIncreaseConsent)
        }
        if renewal.isInBillingRetryPeriod == true, earlier?.renewal.isInBillingRetryPeriod != true {
            reasons.append(.billingIssue)
        }
        if renewal.eligibleWinBackOfferIds?.isEmpty == false, earlier?.renewal.eligibleWinBackOfferIds == nil {
            reasons.append(.winBackOffer)
        }
        return reasons
    }
}

extension StoreFace: HistoryListener {
    /// Begins to follow the store's history, if it is not followed yet.
    ///
    /// What has changed before is not news.
    func followHistory() {
        guard let service = try? history() else { return }
        let isNew = state.withLock { state in
            guard !state.isOver, state.history.service == nil else { return false }
            state.history.service = service
            return true
        }
        guard isNew else { return }
        read(isFirst: true)
        service.follow(self)
    }

    func historyChanged() {
        // Who waits for an arrival may wait in vain now.
        state.withLock { tellArrival([], $0) }
        read(isFirst: false)
    }

    /// Reads what has changed; one reading at a time.
    private func read(isFirst: Bool) {
        let mustBegin = state.withLock { state in
            guard !state.isOver else { return false }
            state.history.mustRepeat = state.history.isUnderWay
            defer { state.history.isUnderWay = true }
            return !state.history.isUnderWay
        }
        guard mustBegin else { return }
        readRevocations(isFirst: isFirst)
    }

    private func readRevocations(isFirst: Bool) {
        let (service, place, hasListeners) = state.withLock { state in
            (state.history.service, state.history.revocations, !state.updates.isEmpty)
        }
        guard let service, isFirst || hasListeners else { return readSubscriptions() }
        var query = HistoryQuery(.revoked)
        query.cursor = place
        service.transactions(query) { [weak self] answer in
            guard let self else { return }
            guard case .success(let page) = answer else { return readSubscriptions() }
            let isMore = !page.transactions.isEmpty
            state.withLock { state in
                state.history.revocations = page.next ?? place
                if !isFirst { tellRevoked(page.transactions.map(\.payload.transactionId), &state) }
            }
            isMore && page.next != place ? readRevocations(isFirst: isFirst) : readSubscriptions()
        }
    }

    /// Tells of the newest revocations of products, which the queue has told of.
    func readRevocations(of productIdentifiers: [String]) {
        guard let service = try? history() else { return }
        for identifier in productIdentifiers {
            service.transactions(HistoryQuery(.all, ofProduct: identifier)) { [weak self] answer in
                guard let self, case .success(let page) = answer else { return }
                let revoked = page.transactions.map(\.payload).filter { $0.revocationDate != nil }
                let last = revoked.compactMap(\.revocationDate).max()
                let newest = revoked.filter { $0.revocationDate == last }.map(\.transactionId)
                state.withLock { tellRevoked(newest, &$0) }
            }
        }
    }

    private func tellRevoked(_ identifiers: [String], _ state: inout State) {
        let new = identifiers.filter { state.history.revoked.insert($0).inserted }
        guard !new.isEmpty else { return }
        // Who only waits for an arrival does not listen.
        if state.told.isEmpty {
            state.unheard += new
        } else {
            state.updates.tell(new)
        }
    }

    private func readSubscriptions() {
        let service = state.withLock { state in
            state.statuses.isEmpty && state.messages.isEmpty ? nil : state.history.service
        }
        guard let service else { return readingEnded() }
        service.subscriptions(.all) { [weak self] answer in
            guard let self else { return }
            if case .success(let subscriptions) = answer { compare(subscriptions) }
            readingEnded()
        }
    }

    /// Tells of subscriptions that differ from those read last.
    private func compare(_ subscriptions: [SignedSubscription]) {
        let new = subscriptions.map { ($0, SubscriptionSummary($0)) }
        state.withLock { state in
            let old = state.history.subscriptions
            state.history.subscriptions = Dictionary(
                new.map { ($0.renewal.payload.originalTransactionId, $1) },
                uniquingKeysWith: { $1 }
            )
            guard let old else { return }
            for (subscription, summary) in new {
                let earlier = old[subscription.renewal.payload.originalTransactionId]
                guard earlier != summary else { continue }
                state.statuses.tell(Product.SubscriptionInfo.Status(subscription, self))
                for reason in summary.messages(since: earlier) { state.messages.tell(Message(reason: reason)) }
            }
        }
    }

    private func readingEnded() {
        let mustRepeat = state.withLock { state in
            state.history.isUnderWay = false
            return state.history.mustRepeat
        }
        if mustRepeat { read(isFirst: false) }
    }

    func statusUpdates() -> AsyncStream<Product.SubscriptionInfo.Status> { following(subscribe(to: \.statuses)) }
    func messages() -> AsyncStream<Message> { following(subscribe(to: \.messages)) }

    /// Reads the subscriptions as they are now, against which later readings are compared.
    private func following<Element>(_ stream: AsyncStream<Element>) -> AsyncStream<Element> {
        followHistory()
        read(isFirst: false)
        return stream
    }

    func storefrontUpdates() -> AsyncStream<StoreStorefront> { subscribe(to: \.storefronts) }

    func intents() -> AsyncStream<PurchaseIntent> {
        subscribe(to: \.intents) { state, _, continuation in
            for intent in state.unheardIntents { continuation.yield(intent) }
            state.unheardIntents = []
        }
    }
}
