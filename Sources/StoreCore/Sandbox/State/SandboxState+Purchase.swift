import Foundation

extension SandboxState {
    /// A purchase that is remembered after it was finished.
    struct Purchase: Sendable {
        enum Source: Sendable {
            /// The details that a restoring transaction has of it.
            case details(StoreTransaction.Details)
            /// A renewal's own transaction: few are ever restored, so the details are made only then.
            case renewal(StoreTransaction)
        }

        let source: Source
        let product: ProductIndex
        /// The purchased period of an auto-renewable subscription; of a deferred change, the period that runs until
        /// then.
        var term: SubscriptionTerm?
        /// Whether it only changed the product that the subscription renews as.
        ///
        /// No period was bought: there is nothing to restore, nor to list in an app receipt.
        var isDeferredChange = false
        /// Whether it belongs to a period that another purchase began, as do repeated purchases and deferred changes.
        var continuesPeriod = false
        /// Whether the product is bought once and for good: a repetition costs nothing.
        var isForGood = false
        /// Whether it cost something.
        var isCharged = false
        var isFinished = false
        /// Whether another member of the family paid for it.
        var isShared = false
        /// Whether it was refunded, or is no longer shared: receipts state the date, and no restore brings it back.
        var isCancelled = false
        /// Whether the store's operator has deleted it, as if it had never existed.
        var isDeleted = false
    }
}

extension SandboxState.Purchase {
    /// The identifier of its transaction.
    var identifier: String {
        switch source {
        case .details(let details): details.original?.identifier ?? ""
        case .renewal(let transaction): transaction.identifier
        }
    }

    /// Whether it counts as bought by the account itself.
    var isOwn: Bool { !isShared && !isCancelled && !isDeleted && !isDeferredChange }

    /// The details that a restoring transaction has of it.
    var asOriginal: StoreTransaction.Details {
        switch source {
        case .details(let details): return details
        case .renewal(let transaction):
            let itself = StoreTransaction.Original(
                identifier: transaction.identifier,
                date: transaction.date,
                payment: transaction.payment
            )
            return StoreTransaction.Details(failure: nil, original: itself, receipt: nil)
        }
    }

    fileprivate func isRestored(by applicationUsername: String?, _ catalog: Catalog) -> Bool {
        guard isFinished, !isCancelled, !isDeleted, !isDeferredChange, catalog.isRestorable(product) else {
            return false
        }
        guard let applicationUsername, let buyer = asOriginal.original?.payment.applicationUsername else {
            return true
        }
        return buyer == applicationUsername
    }
}

extension SandboxState {
    /// Returns the transaction that began the period of a purchase in an account's history; nil without a period.
    ///
    /// Its number is the period's in receipts and JWS, see ``TransactionPayload/webOrderLineItemId``.
    func period(of index: PurchaseIndex, by account: AccountID) -> TransactionNumber? {
        let history = accounts[account].history
        guard let original = history[index].term?.original else { return nil }
        let chain = history.chain(of: original)
        let end = chain.indices.partitionPoint { chain[$0] <= index }
        let first = chain[..<end].last { !history[$0].continuesPeriod }
        return first.flatMap { TransactionNumber(history[$0].identifier) }
    }

    /// Whether a restore brings a purchase back (behaviors 102, 104, 105 and 110).
    func isRestored(_ index: PurchaseIndex, by applicationUsername: String?, _ account: AccountID) -> Bool {
        // The purchase is examined in place, far from everything else.
        accounts[account].history[index].isRestored(by: applicationUsername, catalog)
    }
}
