import StoreCore

/// A state machine that controls the purchases and sequences of Store Kit 2 on a payment queue.
///
/// The machine has no lock, clock or I/O. It turns events into actions; its driver completes replies and sends signals.
struct StoreKit2Machine: Sendable {
    typealias Outcome = PurchaseInProgress.Outcome

    /// The driver's work that results from an event, performed without a lock and in the order of the properties.
    struct Actions {
        /// The subscribers to wake, because they have elements to take.
        var signals = ShortList<Signal>()
        /// The failed transactions of Store Kit 2's purchases, to be finished, since an app cannot finish them.
        var failed: [SKPaymentTransaction] = []
        /// Transactions to finish if they are unfinished and the app has no Store Kit 1 observer, which would finish
        /// them.
        var unclaimed: [SKPaymentTransaction] = []
        /// The transactions of Store Kit 2's purchases that only report a product already held, to be finished.
        var held: [SKPaymentTransaction] = []
        /// The buyers to resume, with the outcomes of their purchases.
        var replies = ShortList<(reply: Reply<Outcome>, outcome: Outcome)>()
        /// The newest notice of revocations that is to be acknowledged to the queue; nil if none is.
        var acknowledgedNotice: Int?
        /// The subscribers whose iterations end.
        var ended: [Signal] = []
    }

    private(set) var purchases = PurchasesInProgress()
    /// The purchases that are still undecided although no one awaits them, by the number of their transaction.
    ///
    /// If one fails, its transaction is finished here, since no one else would.
    private var unawaited: [Int: PurchaseInProgress] = [:]
    /// The unfinished transactions that the queue has reported.
    private(set) var unfinished: [String: UnfinishedTransaction] = [:]
    var updates = UpdateSubscribers()
    /// The products that the queue has reported as revoked, and whose transactions have not been looked up yet.
    private var revoked: [String] = []
    /// The number of the queue's last notice of revocations.
    private var lastNotice = 0
    /// The tasks that wait for a transaction to arrive in the queue.
    var arrivals = Subscribers<[String]>()
    var statuses = Subscribers<SubscriptionStatus>()
    var storefronts = Subscribers<StoreStorefront>()
    var intents = Subscribers<PurchaseIntent>(storesMissed: true)
    var messages = Subscribers<Message>()
    private(set) var hasEnded = false

    /// An unfinished transaction that the queue has reported.
    struct UnfinishedTransaction {
        var transaction: SKPaymentTransaction
        /// Whether `Product.purchase` has returned the transaction, so it is not an update.
        var isReturned = false
    }
}

// MARK: - Purchases

extension StoreKit2Machine {
    /// Begins a purchase; returns false if the queue has ended.
    mutating func begin(_ purchase: PurchaseInProgress, _ number: Int) -> Bool {
        if hasEnded { return false }
        purchases.begin(purchase, number)
        return true
    }

    /// Returns the outcome of a purchase, or else a reply to wait for; call it once.
    mutating func takeOutcome(of number: Int) -> PurchasesInProgress.Finding { purchases.takeOutcome(of: number) }

    /// Returns an undecided purchase, whether or not it is awaited.
    func undecidedPurchase(_ number: Int) -> PurchaseInProgress? { purchases[number] ?? unawaited[number] }

    /// Handles the cancellation of a buyer's task: the outcome of the purchase will be an update.
    mutating func buyerCanceled(_ number: Int, _ actions: inout Actions) {
        if let purchase = decide(number, .taskCanceled, &actions) { unawaited[number] = purchase }
    }

    /// Handles the loss of purchases whose outcomes the queue will not report.
    mutating func purchasesLost(_ numbers: [Int], _ actions: inout Actions) {
        for number in numbers { decide(number, .unknown, &actions) }
    }

    /// Reports a transaction as an update, because its purchase could not return it.
    mutating func purchaseNotReturned(_ identifier: String, _ actions: inout Actions) {
        guard unfinished[identifier]?.isReturned == true else { return }
        unfinished[identifier]?.isReturned = false
        updates.publish([identifier], &actions)
    }

    /// Reports the transaction of an order as an update although its purchase returns it; not one that was held.
    mutating func announceReturned(_ identifier: String, _ number: Int, _ actions: inout Actions) {
        guard let bought = unfinished[identifier], bought.transaction.orderNumber == number else { return }
        updates.publish([identifier], &actions)
    }

    /// Decides a purchase in progress, and returns it; nil if there is none.
    @discardableResult
    private mutating func decide(_ number: Int, _ outcome: Outcome, _ actions: inout Actions) -> PurchaseInProgress? {
        guard let purchase = purchases.decide(number, outcome) else { return nil }
        if let reply = purchase.reply { actions.replies.append((reply, outcome)) }
        return purchase
    }

    /// Removes an undecided purchase that no one awaits; returns whether there was one.
    @discardableResult
    private mutating func removeUnawaited(_ number: Int) -> Bool {
        !unawaited.isEmpty && unawaited.removeValue(forKey: number) != nil
    }
}

// MARK: - Reports from the queue

extension StoreKit2Machine {
    /// Handles the report of transactions that are new, changed or repeated.
    mutating func transactionsUpdated(_ transactions: [SKPaymentTransaction], _ actions: inout Actions) {
        var (new, arrived): ([String], [String]) = ([], [])
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased, .restored:
                guard let identifier = transaction.transactionIdentifier else { continue }
                if granted(transaction, identifier, &actions) { new.append(identifier) }
                if !arrivals.isEmpty, !transaction.isHeld { arrived.append(identifier) }
            case .failed: failed(transaction, &actions)
            case .deferred:
                let number = transaction.orderNumber
                if let purchase = decide(number, .pending, &actions) { unawaited[number] = purchase }
            case .purchasing: break
            @unknown default: break
            }
        }
        if !new.isEmpty { updates.publish(new, &actions) }
        if !arrived.isEmpty { arrivals.publish(arrived, &actions) }
    }

    /// Handles the report of a purchased or restored transaction; returns whether it is an update.
    private mutating func granted(
        _ transaction: SKPaymentTransaction,
        _ identifier: String,
        _ actions: inout Actions
    ) -> Bool {
        let number = transaction.orderNumber
        let wasUnawaited = removeUnawaited(number)
        let isAwaited = decide(number, .purchased(identifier), &actions) != nil
        if transaction.isHeld {
            // A report of a product already held is no update, and Store Kit 2 does not show it.
            if isAwaited || wasUnawaited {
                actions.held.append(transaction)
            } else if transaction.isOrderedByStoreKit2 {
                actions.unclaimed.append(transaction)
            }
            return false
        }
        if !isAwaited, transaction.isFinished { return false }
        let isReturned = isAwaited || unfinished[identifier]?.isReturned ?? false
        unfinished[identifier] = UnfinishedTransaction(transaction: transaction, isReturned: isReturned)
        return !isReturned
    }

    private mutating func failed(_ transaction: SKPaymentTransaction, _ actions: inout Actions) {
        let number = transaction.orderNumber
        let failure = transaction.failure ?? .storeKit(.unknown, "the purchase failed")
        if decide(number, failure.isPending ? .pending : .failed(failure), &actions) != nil || removeUnawaited(number) {
            actions.failed.append(transaction)
        } else {
            actions.unclaimed.append(transaction)
        }
    }

    /// Handles the removal of transactions from the queue.
    mutating func transactionsRemoved(_ transactions: [SKPaymentTransaction], _ actions: inout Actions) {
        for transaction in transactions {
            // A purchase without an outcome is removed if its user has signed out or the transaction was deleted.
            let number = transaction.orderNumber
            decide(number, .unknown, &actions)
            removeUnawaited(number)
            guard let identifier = transaction.transactionIdentifier, !transaction.isHeld else { continue }
            unfinished[identifier] = nil
            updates.forget(identifier)
        }
    }

    /// Handles a notice of revoked products, whose transactions are to be looked up in the history.
    mutating func entitlementsRevoked(_ products: [String], notice: Int) {
        revoked += products
        lastNotice = max(lastNotice, notice)
    }

    /// Ends all purchases and sequences.
    ///
    /// Returns the former state, which must be released without a lock.
    mutating func end(_ actions: inout Actions) -> Self {
        let former = self
        purchasesLost(purchases.numbers, &actions)
        actions.ended = updates.signals + arrivals.signals
        actions.ended += statuses.signals + storefronts.signals + intents.signals + messages.signals
        // Subscribers to statuses, storefronts, intents and messages stay: they first receive what is still pending.
        (unawaited, unfinished, updates, arrivals, revoked) = ([:], [:], UpdateSubscribers(), Subscribers(), [])
        intents.discardMissed()
        hasEnded = true
        return former
    }

    /// Discards what concerns the former store, since the new one may use the same identifiers.
    mutating func storeChanged(_ actions: inout Actions) {
        purchasesLost(purchases.numbers, &actions)
        actions.ended = arrivals.signals
        arrivals.removeAll()
        (purchases, unawaited, unfinished, revoked) = (PurchasesInProgress(), [:], [:], [])
        intents.discardMissed()
        updates.forgetAll()
    }
}

// MARK: - Subscribers

extension StoreKit2Machine {
    /// Adds a subscriber to updates, and returns its number; nil if the queue has ended.
    ///
    /// The subscriber first receives the unfinished transactions that no purchase has returned. `queued` has the
    /// queue's transactions, some of which may have been reported before this machine existed.
    mutating func subscribeToUpdates(_ signal: Signal, queued: [SKPaymentTransaction]) -> Int? {
        guard !hasEnded else { return nil }
        for transaction in queued where transaction.isGranted && !transaction.isFinished && !transaction.isHeld {
            // A purchase in progress will return its transaction.
            guard purchases[transaction.orderNumber] == nil, let identifier = transaction.transactionIdentifier
            else { continue }
            unfinished[identifier, default: UnfinishedTransaction(transaction: transaction)].transaction = transaction
        }
        let pending = unfinished.filter { !$1.isReturned && !$1.transaction.isFinished }.keys
            .sorted { ($0.count, $0) < ($1.count, $1) }
        return updates.add(signal, unfinished: pending)
    }

    /// Handles the result of reading the transactions that a subscriber has taken; nil if the store did not respond.
    mutating func updatesRead(_ identifiers: [String], of number: Int, _ read: SignedTransactions?) {
        let unfinished = unfinished
        updates.finishReading(identifiers, of: number, read) { unfinished[$0] != nil }
    }

    /// Handles the delivery of a revoked transaction to the app; after the last one, acknowledges the revocations.
    mutating func revocationDelivered(_ identifier: String, _ actions: inout Actions) {
        guard updates.hasUndeliveredRevocations else { return }
        updates.revocationDelivered(identifier)
        acknowledgeIfDelivered(&actions)
    }

    private func acknowledgeIfDelivered(_ actions: inout Actions) {
        if revoked.isEmpty, !updates.hasUndeliveredRevocations { actions.acknowledgedNotice = lastNotice }
    }
}

// MARK: - The history

extension StoreKit2Machine {
    /// Whether there are subscribers to statuses, or to messages, which result from changes of statuses.
    var hasStatusSubscribers: Bool { !(statuses.isEmpty && messages.isEmpty) }
    /// Whether changes of the history concern any subscriber to a sequence, or revoked products must be looked up.
    var mustReadHistory: Bool { !updates.isEmpty || hasStatusSubscribers || !revoked.isEmpty }
    /// Whether any subscriber or waiting task depends on changes of the history.
    var needsHistory: Bool { mustReadHistory || !arrivals.isEmpty }

    /// A product whose revoked transactions must be looked up, and the number of its revocations; nil if there is none.
    var revokedProduct: (identifier: String, count: Int)? {
        revoked.first.map { product in (product, revoked.count { $0.isExactly(product) }) }
    }

    /// Handles the transactions of a revoked product, which are stored for the next subscriber if there is none.
    mutating func revocationsRead(
        _ transactions: [TransactionPayload],
        of product: (identifier: String, count: Int),
        _ actions: inout Actions
    ) {
        updates.publishRevocations(transactions, &actions)
        // Removes only the revocations that were looked up: the queue may have reported another one during the look-up.
        for _ in 0..<product.count {
            if let index = revoked.firstIndex(where: product.identifier.isExactly) { revoked.remove(at: index) }
        }
        // If nothing is left to deliver, subscribers had received these revocations when the history changed.
        if !transactions.isEmpty { acknowledgeIfDelivered(&actions) }
    }

    /// Handles revoked transactions; returns whether they were taken.
    ///
    /// Without a subscriber, they are stored for the next one if `storesMissed` is true, and ignored otherwise.
    mutating func revocationsRead(_ read: [TransactionPayload], storesMissed: Bool, _ actions: inout Actions) -> Bool {
        guard storesMissed || !updates.isEmpty else { return false }
        updates.publishRevocations(read, &actions)
        return true
    }

    /// Handles the change of a subscription, and the reasons for messages that result from it.
    mutating func statusChanged(_ status: SubscriptionStatus, _ reasons: [Message.Reason], _ actions: inout Actions) {
        statuses.publish(status, &actions)
        for reason in reasons { messages.publish(Message(reason: reason), &actions) }
    }
}

extension SKPaymentTransaction {
    fileprivate var isGranted: Bool { transactionState == .purchased || transactionState == .restored }
}

/// A list that allocates no memory for its first element, since most lists have only one.
struct ShortList<Element> {
    private var first: Element?
    private var others: [Element] = []

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }

    func forEach(_ body: (Element) -> Void) {
        if let first { body(first) }
        for element in others { body(element) }
    }
}
