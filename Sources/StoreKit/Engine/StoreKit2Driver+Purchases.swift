import Foundation
import StoreCore

extension StoreKit2Driver {
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
        if !followsHistory { _ = try history() }
        try await checkReachability(for: product.id)
        let shouldContinue = Product.PurchaseOption.shouldContinue(options)
        var ordered: (number: Int, storeChanges: Int)?
        queue.order(payment) { number in
            state.withLock { state in
                let purchase = PurchaseInProgress(shouldContinue: shouldContinue)
                if state.machine.begin(purchase, number) { ordered = (number, storeChanges) }
            }
        }
        // Nil if the queue was relaunched or given another store before the order: the outcome cannot be received.
        guard let (number, changes) = ordered else { throw StoreKitError.unknown }
        switch await outcome(of: number, of: product.id, since: changes) {
        case .purchased(let identifier):
            if product.type.renews { announceOwnPurchase(identifier, number) }
            if let bought = immediateTransaction(identifier, storeChanges: changes) { return .success(bought) }
            return .success(try await purchasedTransaction(identifier, storeChanges: changes))
        case .pending: return .pending
        case .failed(let failure):
            if failure.isCancellation { return .userCancelled }
            log("a purchase of \(product.id) has failed: \(failure.reason)")
            throw Product.PurchaseError.error(for: failure)
        case .taskCanceled: throw CancellationError()
        case .unknown: throw StoreKitError.unknown
        }
    }

    /// Waits for the outcome of a purchase, which is unknown if the store has been replaced since the order.
    private func outcome(of number: Int, of product: String, since changes: Int) async -> PurchaseInProgress.Outcome {
        let finding = state.withLock { state -> PurchasesInProgress.Finding in
            // Another store's purchases may have the same numbers.
            storeChanges == changes ? state.machine.takeOutcome(of: number) : .outcome(.unknown)
        }
        switch finding {
        case .outcome(let outcome): return outcome
        case .undecided(let reply):
            return await value(of: reply, for: "the purchase of \(product)") { [self] in
                handle { $0.machine.buyerCanceled(number, &$1) }
            }
        }
    }

    /// Throws the network's error if the store is out of reach.
    ///
    /// Without this check, the queue would record the order, and the store would charge for it after the app saw it
    /// fail.
    private func checkReachability(for product: String) async throws {
        let availability = state.withLock { $0.reader?.availability }
        guard availability?.isOutOfReach == true, let backend else { return }
        // The last report may be out of date, so this sends a request.
        _ = try await response("the look-up of \(product)") { backend.products([product], reply: $0) }
    }

    /// Returns the transaction of a purchase; throws if the store was replaced since.
    private func purchasedTransaction(
        _ identifier: String,
        storeChanges changes: Int
    ) async throws -> VerificationResult<Transaction> {
        do {
            let page = try await page(HistoryQuery(.transactions([identifier])))
            // Another store may have another transaction with the same identifier.
            guard page.origin.storeChanges == changes else { throw StoreKitError.unknown }
            if let signed = page.transactions.first { return VerificationResult(signed, page.origin) }
        } catch {
            handle { $0.machine.purchaseNotReturned(identifier, &$1) }
            throw error
        }
        handle { $0.machine.purchaseNotReturned(identifier, &$1) }
        // Probably another user has signed in, so the history no longer contains the transaction.
        log("transaction \(identifier) was sold, but its user's history is not shown, or does not have it")
        throw StoreKitError.unknown
    }
}

extension StoreFailure {
    fileprivate var isCancellation: Bool { domain == .storeKit && code == Code.paymentCancelled.rawValue }
}
