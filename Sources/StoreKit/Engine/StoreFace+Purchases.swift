import Foundation
import StoreCore

extension StoreFace {
    /// Buys a product through a queue, and waits for the outcome of this purchase.
    func purchase(
        _ product: Product,
        _ options: Set<Product.PurchaseOption>,
        in queue: SKPaymentQueue
    ) async throws -> Product.PurchaseResult {
        do {
            try check(.purchase, in: queue)
        } catch StoreKitError.userCancelled {
            return .userCancelled
        }
        let payment = try Product.PurchaseOption.payment(for: product, options: options)
        // The transaction is read from the history. Without a history, this throws before anything is bought.
        if !followsHistory { _ = try readable() }
        try await checkReach(for: product.id)
        let shouldContinue = Product.PurchaseOption.shouldContinue(options)
        var ordered: (number: Int, storeChanges: Int)?
        queue.order(payment) { number in
            state.withLock { state in
                if state.isOver { return }
                state.purchases.begin(PurchaseUnderWay(shouldContinue: shouldContinue), number)
                ordered = (number, storeChanges)
            }
        }
        // The queue was relaunched, or given another store, meanwhile: the outcome cannot be received.
        guard let (number, changes) = ordered else { throw StoreKitError.unknown }
        switch await outcome(of: number, of: product.id, storeChanges: changes) {
        case .purchased(let identifier):
            if let transaction = transactionAtOnce(identifier, storeChanges: changes) { return .success(transaction) }
            return .success(try await bought(identifier, storeChanges: changes))
        case .pending: return .pending
        case .failed(let failure):
            if failure.isCancellation { return .userCancelled }
            log("a purchase of \(product.id) has failed: \(failure.reason)")
            throw Product.PurchaseError.error(for: failure)
        case .abandoned: throw CancellationError()
        case .unknown: throw StoreKitError.unknown
        }
    }

    /// Waits for the outcome of a purchase, which is unknown if the store was replaced since.
    private func outcome(
        of number: Int,
        of product: String,
        storeChanges changes: Int
    ) async -> PurchaseUnderWay.Outcome {
        let finding = state.withLock { state -> PurchasesUnderWay.Finding in
            // Another store's purchases may have the same numbers.
            storeChanges == changes ? state.purchases.await(number) : .outcome(.unknown)
        }
        switch finding {
        case .outcome(let outcome): return outcome
        case .undecided(let reply):
            return await value(of: reply, for: "the purchase of \(product)") { [self] in abandon(number) }
        }
    }

    /// Throws the network's error if the store is out of reach.
    ///
    /// Otherwise the queue would store the order, and the store would charge for it after the app saw it fail.
    private func checkReach(for product: String) async throws {
        let availability = state.withLock { $0.reader?.availability }
        guard availability?.isOutOfReach == true, let backend else { return }
        // The last report may be out of date, so this sends a request.
        _ = try await answer("the look-up of \(product)") { backend.products([product], reply: $0) }
    }

    /// Stops waiting for a purchase, whose outcome is then delivered as an update.
    private func abandon(_ number: Int) {
        let purchase = state.withLock { state -> PurchaseUnderWay? in
            guard let purchase = state.purchases.decide(number, .abandoned) else { return nil }
            state.abandoned[number] = purchase
            return purchase
        }
        purchase?.reply?.give(.abandoned)
    }

    /// Returns the transaction of a purchase; throws if the store was replaced since.
    private func bought(
        _ identifier: String,
        storeChanges changes: Int
    ) async throws -> VerificationResult<Transaction> {
        do {
            let page = try await page(HistoryQuery(.transactions([identifier])))
            // Another store may have another transaction with the same identifier.
            guard page.origin.storeChanges == changes else { throw StoreKitError.unknown }
            if let signed = page.transactions.first { return VerificationResult(signed, page.origin) }
        } catch {
            returnFailed(identifier)
            throw error
        }
        returnFailed(identifier)
        // Probably another user has signed in, so that the history no longer contains the transaction.
        log("transaction \(identifier) was sold, but its user's history is not shown, or does not have it")
        throw StoreKitError.unknown
    }

    /// Reports as an update a transaction that its purchase could not return.
    private func returnFailed(_ identifier: String) {
        state.withLock { state in
            guard state.known[identifier]?.isReturned == true else { return }
            state.known[identifier]?.isReturned = false
            state.updates.tell([identifier], &state.signals)
        }
    }
}

extension StoreFailure {
    fileprivate var isCancellation: Bool { domain == .storeKit && code == Code.paymentCancelled.rawValue }
}

// MARK: - Reports from the queue

extension StoreFace {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        if transactions.allSatisfy({ $0.transactionState == .purchasing }) { return }
        var outcomes: [(Reply<PurchaseUnderWay.Outcome>, PurchaseUnderWay.Outcome)] = []
        var failed: [SKPaymentTransaction] = []
        var answered: [SKPaymentTransaction] = []
        var others: [SKPaymentTransaction] = []
        state.withLock { state in
            var (news, arrived): ([String], [String]) = ([], [])
            for transaction in transactions {
                let number = transaction.orderNumber
                switch transaction.transactionState {
                case .purchasing: break
                case .purchased, .restored:
                    guard let identifier = transaction.transactionIdentifier else { continue }
                    let wasAbandoned = !state.abandoned.isEmpty && state.abandoned.removeValue(forKey: number) != nil
                    let outcome = PurchaseUnderWay.Outcome.purchased(identifier)
                    if transaction.isHeld {
                        // A report of a product already held is no update, and Store Kit 2 does not show it.
                        let purchase = state.purchases.decide(number, outcome)
                        if let reply = purchase?.reply { outcomes.append((reply, outcome)) }
                        if purchase != nil || wasAbandoned {
                            answered.append(transaction)
                        } else if transaction.isOrderedByStoreKit2 {
                            others.append(transaction)
                        }
                        continue
                    }
                    if !state.arrivals.isEmpty { arrived.append(identifier) }
                    if let purchase = state.purchases.decide(number, outcome) {
                        state.known[identifier] = KnownTransaction(transaction, isReturned: true)
                        if let reply = purchase.reply { outcomes.append((reply, outcome)) }
                    } else if !transaction.isFinished {
                        let isReturned = state.known[identifier]?.isReturned ?? false
                        state.known[identifier] = KnownTransaction(transaction, isReturned: isReturned)
                        if !isReturned { news.append(identifier) }
                    }
                case .failed:
                    let failure = transaction.failure ?? .storeKit(.unknown, "the purchase failed")
                    let outcome = failure.isPending ? PurchaseUnderWay.Outcome.pending : .failed(failure)
                    let purchase = state.purchases.decide(number, outcome)
                    guard purchase != nil || state.abandoned.removeValue(forKey: number) != nil else {
                        others.append(transaction)
                        continue
                    }
                    failed.append(transaction)
                    if let reply = purchase?.reply { outcomes.append((reply, outcome)) }
                case .deferred:
                    guard let purchase = state.purchases.decide(number, .pending) else { continue }
                    state.abandoned[number] = purchase
                    if let reply = purchase.reply { outcomes.append((reply, .pending)) }
                @unknown default: break
                }
            }
            if !news.isEmpty { state.updates.tell(news, &state.signals) }
            if !arrived.isEmpty { state.arrivals.tell(arrived, &state.signals) }
        }
        // An app cannot finish failed transactions, or ones that only report a product already held, with Store Kit 2.
        // An earlier launch's transactions of these kinds are left to the Store Kit 1 observers, if there are any.
        if !others.isEmpty, queue.transactionObservers.isEmpty { failed += others.filter { !$0.isFinished } }
        for transaction in failed + answered { queue.finishTransaction(transaction) }
        for (reply, outcome) in outcomes { reply.give(outcome) }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        var lost: [Reply<PurchaseUnderWay.Outcome>] = []
        state.withLock { state in
            for transaction in transactions {
                // A purchase without an outcome is removed if its user has signed out or the transaction was deleted.
                let number = transaction.orderNumber
                if let reply = state.purchases.decide(number, .unknown)?.reply { lost.append(reply) }
                if !state.abandoned.isEmpty { state.abandoned[number] = nil }
                guard let identifier = transaction.transactionIdentifier, !transaction.isHeld else { continue }
                state.known[identifier] = nil
                state.updates.forget(identifier)
            }
        }
        for reply in lost { reply.give(.unknown) }
    }

    func entitlementsRevoked(_ productIdentifiers: [String], notice: Int) {
        let reader = state.withLock { state in
            state.revoked += productIdentifiers
            state.lastNotice = max(state.lastNotice, notice)
            state.reader?.attention.isOn = true
            return state.reader
        }
        reader?.read()
    }

    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {
        guard let storefront else { return }
        state.withLock { $0.storefronts.tell(storefront, &$0.signals) }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue,
        shouldAddStorePayment payment: SKPayment,
        for product: SKProduct
    ) -> Bool {
        let intent = PurchaseIntent(Product(product.product, storefront: storefront), payment.storePayment)
        state.withLock { state in
            if state.intents.isEmpty {
                state.unheardIntents.append(intent)
            } else {
                state.intents.tell(intent, &state.signals)
            }
        }
        return false
    }
}

/// A purchase whose buyer awaits the outcome, or is about to.
struct PurchaseUnderWay: Sendable {
    /// The outcome of a purchase.
    enum Outcome: Sendable {
        /// The product was bought; the transaction has this identifier.
        case purchased(String)
        /// Another person has to approve the purchase.
        case pending
        /// The purchase failed.
        indirect case failed(StoreFailure)
        /// The buyer's task was canceled, and the purchase goes on.
        case abandoned
        /// The queue was relaunched, released or given another store, or another user signed in, and does not receive the
        /// outcome.
        case unknown
    }

    /// The outcome, if it came before the buyer awaited it.
    var outcome: Outcome?
    /// The reply to the buyer; nil until the buyer waits.
    var reply: Reply<Outcome>?
    /// Decides whether the purchase continues after a change of the storefront.
    let shouldContinue: (@Sendable (StoreStorefront) -> Bool)?

    init(shouldContinue: (@Sendable (StoreStorefront) -> Bool)?) { self.shouldContinue = shouldContinue }
}

/// The purchases whose outcome is awaited, by the numbers of their transactions.
///
/// An outcome that comes before its buyer awaits it, as from an in-process store, is stored until the buyer takes it.
struct PurchasesUnderWay: Sendable {
    /// The outcome of a purchase, or the reply that will receive it.
    enum Finding {
        case outcome(PurchaseUnderWay.Outcome)
        case undecided(Reply<PurchaseUnderWay.Outcome>)
    }

    /// The most recent purchase, outside the dictionary because it is usually decided before the next begins.
    private var newest: PurchaseUnderWay?
    private var newestNumber = 0
    /// The earlier purchases.
    private var others: [Int: PurchaseUnderWay] = [:]

    /// The undecided purchase with a number; nil if there is none.
    subscript(number: Int) -> PurchaseUnderWay? {
        let purchase = number == newestNumber ? newest : others[number]
        return purchase?.outcome == nil ? purchase : nil
    }

    /// The numbers of the undecided purchases.
    var numbers: [Int] { (others.keys + [newestNumber]).filter { self[$0] != nil } }

    /// Adds a purchase; numbers ascend.
    mutating func begin(_ purchase: PurchaseUnderWay, _ number: Int) {
        if let newest { others[newestNumber] = newest }
        (newest, newestNumber) = (purchase, number)
    }

    /// Decides a purchase, and returns it; nil if it is decided already or there is none.
    ///
    /// If the returned purchase has a reply, the caller must set that reply to the outcome.
    mutating func decide(_ number: Int, _ outcome: PurchaseUnderWay.Outcome) -> PurchaseUnderWay? {
        if number == newestNumber { return newest.decide(outcome) }
        return others.isEmpty ? nil : others[number].decide(outcome)
    }

    /// Decides all purchases as unknown, and returns the replies that must be set.
    mutating func lose() -> [Reply<PurchaseUnderWay.Outcome>] { numbers.compactMap { decide($0, .unknown)?.reply } }

    /// Returns the outcome of a purchase, or else a reply to wait for; call it once.
    mutating func await(_ number: Int) -> Finding {
        number == newestNumber ? newest.await() : others[number].await()
    }
}

// Methods of the optional, so that a change looks up the dictionary's entry only once.
extension PurchaseUnderWay? {
    fileprivate mutating func decide(_ outcome: PurchaseUnderWay.Outcome) -> PurchaseUnderWay? {
        guard let purchase = self, purchase.outcome == nil else { return nil }
        if purchase.reply == nil { self?.outcome = outcome } else { self = nil }
        return purchase
    }

    fileprivate mutating func await() -> PurchasesUnderWay.Finding {
        guard let purchase = self else { return .outcome(.unknown) }
        if let outcome = purchase.outcome {
            self = nil
            return .outcome(outcome)
        }
        let reply = Reply<PurchaseUnderWay.Outcome>()
        self?.reply = reply
        return .undecided(reply)
    }
}
