import Foundation

extension SandboxState {
    /// A purchase that is remembered after it was finished.
    struct Purchase: Sendable {
        enum Source: Sendable {
            /// What a transaction that restores it says of it.
            case details(StoreTransaction.Details)
            /// A renewal's own transaction: few are ever restored, so what that needs is made only then.
            case renewal(StoreTransaction)
        }

        let source: Source
        /// The product's number in the catalog.
        let product: Int
        /// The period that was bought, of an auto-renewable subscription; of a deferred change, the one that runs until then.
        var term: SubscriptionTerm?
        /// It only said what the subscription will renew as.
        ///
        /// No period was bought: there is nothing to restore, nor to tell in an app receipt.
        var isDeferredChange = false
        var isFinished = false
        /// Somebody else of the family paid for it.
        var isShared = false
        /// It was paid back, or is not shared any more: receipts say since when, and nothing brings it back.
        var isCancelled = false
        /// The store's owner has deleted it, as if it had never been.
        var isDeleted = false
    }
}

extension SandboxState.Purchase {
    /// The transaction's.
    var identifier: String {
        switch source {
        case .details(let details): details.original?.identifier ?? ""
        case .renewal(let transaction): transaction.identifier
        }
    }

    /// Whether it counts as bought by the account itself.
    var isOwn: Bool { !isShared && !isCancelled && !isDeleted && !isDeferredChange }

    /// What a transaction that restores it says of it.
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
    /// Whether a restore brings a purchase back (behaviours 102, 104, 105 and 110).
    func isRestored(_ index: Int, by applicationUsername: String?, _ account: Int) -> Bool {
        // It is looked at where it lies, far from everything else.
        accounts[account].history[index].isRestored(by: applicationUsername, catalog)
    }
}
