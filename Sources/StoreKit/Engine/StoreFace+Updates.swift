import Foundation
import StoreCore

extension StoreFace {
    /// Begins to listen to updates: first to all that is unfinished and was not returned by a purchase.
    func subscribeToUpdates() -> UpdateSubscription {
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        // The queue has told its observers of what is unfinished, perhaps before the face was one of them.
        let queued = queue?.transactions ?? []
        finishAnswered(queued)
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            for transaction in queued
            where transaction.isGranted && !transaction.isFinished && !transaction.isHeld {
                // A purchase is to return it, and has not heard of it yet.
                guard state.purchases[transaction.orderNumber] == nil,
                    let identifier = transaction.transactionIdentifier
                else { continue }
                state.known[identifier, default: KnownTransaction(transaction)].transaction = transaction
            }
            let unfinished = state.known.filter { !$1.isReturned && !$1.transaction.isFinished }.keys
                .sorted { ($0.count, $0) < ($1.count, $1) }
            state.reader?.attention.isOn = true
            return state.updates.add(Signal(continuation), unfinished: unfinished)
        }
        if let number {
            continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.updates.remove(number) } }
            readHistory()
        } else {
            continuation.finish()
        }
        return UpdateSubscription(number: number ?? 0, signals: signals.makeAsyncIterator())
    }

    /// Finishes what answered the purchases of an earlier launch: no app can, by Store Kit 2.
    ///
    /// It is left to an observer of Store Kit 1's, as it may be the answer to another app of the device.
    private func finishAnswered(_ queued: [SKPaymentTransaction]) {
        guard queue?.transactionObservers.isEmpty == true else { return }
        for transaction in queued
        where transaction.isHeld && transaction.isOrderedByStoreKit2 && !transaction.isFinished
            && !state.withLock({ $0.purchases[transaction.orderNumber] != nil })
        {
            queue?.finishTransaction(transaction)
        }
    }

    /// Takes what a subscriber to updates has not taken yet, at most so many as a page has.
    func takeUpdates(of number: Int) -> [String] { state.withLock { $0.updates.take(of: number) } }

    /// Records what was read of the transactions that a subscriber has taken; nil if nothing could be read.
    func finishReading(_ identifiers: [String], of number: Int, _ read: OriginalPage?) {
        state.withLock { $0.updates.finishReading(identifiers, of: number, read?.transactions, queued: $0.known) }
    }

    /// Records that a subscriber has taken a revoked transaction; the queue's news of revocations is passed on with the last.
    func tookRevocation(_ identifier: String) {
        let taken = state.withLock { state -> Int? in
            guard state.updates.hasUntakenRevocations else { return nil }
            state.updates.tookRevocation(identifier)
            return state.takenNotice
        }
        if let taken { queue?.acknowledgeRevocations(through: taken) }
    }

    func updates() -> Transaction.Transactions { Transaction.Transactions(.updates(self)) }
}

extension SKPaymentTransaction {
    fileprivate var isGranted: Bool { transactionState == .purchased || transactionState == .restored }
}

// MARK: - Other sequences

extension StoreFace {
    func statusUpdates() -> Subscription<Product.SubscriptionInfo.Status> { following(subscribe(to: \.statuses)) }
    func messages() -> Subscription<Message> { following(subscribe(to: \.messages)) }

    /// Has the subscriptions read as they are now, against which later readings are compared.
    private func following<Element>(_ subscription: Subscription<Element>) -> Subscription<Element> {
        readHistory()
        return subscription
    }

    /// Reads what is new in the history, for new subscribers.
    private func readHistory() {
        followHistory()
        state.withLock { $0.reader }?.read()
    }

    func storefrontUpdates() -> Subscription<StoreStorefront> { subscribe(to: \.storefronts) }

    func intents() -> Subscription<PurchaseIntent> {
        subscribe(to: \.intents) { state in
            defer { state.unheardIntents = [] }
            return state.unheardIntents
        }
    }
}
