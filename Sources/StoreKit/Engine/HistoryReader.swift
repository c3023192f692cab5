import StoreCore

/// A reader of one store's history for a face: what changes in it becomes updates, statuses and messages.
///
/// One reading is under way at a time. A face whose store is replaced gets another reader, and hears nothing more of this one.
final class HistoryReader: HistoryListener {
    let service: any HistoryService
    private weak let face: StoreFace?
    private let state = Locked(State())

    private struct State {
        /// Whether all that was revoked before the reader began has been passed over.
        var hasBegun = false
        /// The place behind the last revocation that was read.
        var place: String?
        /// The subscriptions as they were last read, by their first transaction; nil while nobody listens.
        var subscriptions: [String: SubscriptionSummary]?
        var isUnderWay = false
        /// Whether another reading is to follow.
        var mustRepeat = false
        /// The pause before a failed reading is repeated, in seconds.
        var pause: Double = 1
    }

    init(_ service: any HistoryService, face: StoreFace) {
        self.service = service
        self.face = face
    }

    func begin() {
        service.follow(self)
        historyChanged()
    }

    func historyChanged() {
        guard let face, face.reads(with: self) else { return }
        face.tellWaiting()
        let mustBegin = state.withLock { state in
            guard !state.hasBegun || face.hasHistorySubscribers else {
                // Whoever comes next is told of changes from then on.
                state.subscriptions = nil
                return false
            }
            state.mustRepeat = state.isUnderWay
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
        if mustBegin { readRevocations() }
    }

    private func readRevocations() {
        let (hasBegun, place) = state.withLock { ($0.hasBegun, $0.place) }
        guard let face, !hasBegun || face.hasUpdateSubscribers else { return readSubscriptions() }
        var query = HistoryQuery(.revoked)
        query.cursor = place
        service.transactions(query) { [weak self] answer in
            guard let self else { return }
            guard case .success(let page) = answer else { return readingFailed() }
            // Without a subscriber the place stays, and the next one is told.
            let identifiers = page.transactions.map(\.content.transactionId)
            let isTaken = hasBegun ? self.face?.tellRevoked(identifiers, readWith: self) ?? false : true
            let isMore = isTaken && page.next != nil && page.next != place
            state.withLock { state in
                if isTaken { state.place = page.next ?? place }
                if !isMore { state.hasBegun = true }
            }
            isMore ? readRevocations() : readSubscriptions()
        }
    }

    private func readSubscriptions() {
        guard let face, face.hasStatusSubscribers else {
            state.withLock { $0.subscriptions = nil }
            return readingEnded()
        }
        service.subscriptions(.all) { [weak self] answer in
            guard let self else { return }
            guard case .success(let subscriptions) = answer else { return readingFailed() }
            compare(subscriptions)
            readingEnded()
        }
    }

    /// Tells of subscriptions that differ from those read last.
    private func compare(_ subscriptions: [SignedSubscription]) {
        let new = subscriptions.map { ($0, SubscriptionSummary($0)) }
        let summaries = Dictionary(
            new.map { ($0.renewal.content.originalTransactionId, $1) },
            uniquingKeysWith: { $1 }
        )
        let old = state.withLock { state in
            defer { state.subscriptions = summaries }
            return state.subscriptions
        }
        guard let old else { return }
        for (subscription, summary) in new {
            let earlier = old[subscription.renewal.content.originalTransactionId]
            guard earlier != summary else { continue }
            face?.tell(subscription, summary.messages(since: earlier), readWith: self)
        }
    }

    private func readingFailed() {
        let pause = state.withLock { state in
            state.isUnderWay = false
            defer { state.pause = min(state.pause * 2, StoreFace.longestPause) }
            return state.pause
        }
        guard let clock = face?.queue?.storeSetup.clock else { return }
        clock.schedule(at: clock.now + pause) { [weak self] in self?.historyChanged() }
    }

    private func readingEnded() {
        let mustRepeat = state.withLock { state in
            state.isUnderWay = false
            state.pause = 1
            return state.mustRepeat
        }
        if mustRepeat { historyChanged() }
    }
}

// What the reader asks of its face, and tells it. A reader of an earlier store is told that nobody listens.
extension StoreFace {
    fileprivate var hasUpdateSubscribers: Bool { state.withLock { !$0.updates.isEmpty } }
    fileprivate var hasStatusSubscribers: Bool { state.withLock { !($0.statuses.isEmpty && $0.messages.isEmpty) } }
    fileprivate var hasHistorySubscribers: Bool { hasUpdateSubscribers || hasStatusSubscribers }
    fileprivate func reads(with reader: HistoryReader) -> Bool { state.withLock { $0.reader === reader } }

    /// Has those who wait for an arrival look whether they wait in vain now.
    fileprivate func tellWaiting() { state.withLock { $0.arrivals }.tell([]) }

    /// Tells of revoked transactions; returns whether anybody listens.
    fileprivate func tellRevoked(_ identifiers: [String], readWith reader: HistoryReader) -> Bool {
        state.withLock { state in
            guard state.reader === reader, !state.updates.isEmpty else { return false }
            if !identifiers.isEmpty { state.updates.tell(identifiers, isAgain: true) }
            return true
        }
    }

    fileprivate func tell(
        _ subscription: SignedSubscription,
        _ reasons: [Message.Reason],
        readWith reader: HistoryReader
    ) {
        let status = Product.SubscriptionInfo.Status(subscription, self)
        state.withLock { state in
            guard state.reader === reader else { return }
            state.statuses.tell(status)
            for reason in reasons { state.messages.tell(Message(reason: reason)) }
        }
    }
}
