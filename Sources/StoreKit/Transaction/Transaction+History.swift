import StoreCore

// The history is that of the store of the current `StoreContext`'s default queue.
extension Transaction {
    /// The history: all purchases and renewals of the account, and those that its family shares with it, newest first.
    ///
    /// Refunded purchases are included. Consumables are included if they are unfinished or refunded; finished ones only
    /// if the app's `SKIncludeConsumableInAppPurchaseHistory` says so.
    public static var all: Transactions { StoreKit2Driver.current.transactions(HistoryQuery(.all)) }

    /// Returns the history of one product, newest first.
    public static func all(for productID: String) -> Transactions {
        StoreKit2Driver.current.transactions(HistoryQuery(.all, ofProduct: productID))
    }

    /// The newest transaction of each product that the account is entitled to now, newest first.
    ///
    /// These are non-consumables, subscriptions that are paid for or in their grace period, and every non-renewing
    /// subscription, even one that ended long ago. Refunded purchases are excluded. A product that the account has
    /// bought, and that its family shares with it too, occurs twice, with both transactions.
    public static var currentEntitlements: Transactions {
        StoreKit2Driver.current.transactions(HistoryQuery(.entitlements))
    }

    /// Returns the transactions that entitle the account to a product: its own, and one that its family shares; empty
    /// if there is neither.
    public static func currentEntitlements(for productID: String) -> Transactions {
        StoreKit2Driver.current.transactions(HistoryQuery(.entitlements, ofProduct: productID))
    }

    /// Returns the newest transaction that entitles the account to a product; nil if none does, and if the store does
    /// not respond.
    @available(*, deprecated, renamed: "currentEntitlements(for:)")
    public static func currentEntitlement(for productID: String) async -> VerificationResult<Transaction>? {
        await StoreKit2Driver.current.first(HistoryQuery(.entitlements, ofProduct: productID))
    }

    /// Returns the newest transaction of a product; nil if there is none, and if the store does not respond.
    ///
    /// Consumables are found as in ``all``.
    public static func latest(for productID: String) async -> VerificationResult<Transaction>? {
        await StoreKit2Driver.current.first(HistoryQuery(.latest, ofProduct: productID))
    }

    /// The transactions that have not been finished, oldest first.
    public static var unfinished: Transactions { StoreKit2Driver.current.transactions(HistoryQuery(.unfinished)) }

    /// The transactions that arrive or change after an iteration begins, preceded by the unfinished ones.
    ///
    /// A transaction returned by ``Product/purchase(options:)`` is not among them. A refund that ends access is an
    /// update even if it occurred while the app was not running, or if an earlier iteration did not deliver it. The
    /// refund of a consumable, or of another product whose access the app decides on, is an update only while the app
    /// runs. Iterate from the launch of the app on; the sequence does not end by itself.
    ///
    /// A task that iterates retains its `StoreContext`, and with it the queue and the store, until it is canceled. In
    /// an app that is forever; a test cancels the task.
    public static var updates: Transactions { Transactions(.updates(StoreKit2Driver.current)) }

    /// Finishes the transaction, after the app has delivered the product.
    ///
    /// The transaction then leaves ``unfinished`` and Store Kit 1's payment queue. When the call returns, the finish is
    /// recorded in the store or in the queue's journal, so the transaction does not return, even if the process ends.
    /// In a task that is canceled, the call returns at once, and the finish continues.
    ///
    /// The transaction is finished in the store that it was read from, even if the context has another one by now. It
    /// is finished for its own account, even if another one has signed in. Finishing it again changes nothing. A store
    /// that refuses the finish permanently may send the transaction again, which is logged.
    public func finish() async {
        guard let origin else { return }
        let (driver, identifier) = (origin.driver, payload.transactionId)
        guard let finish = driver.finishReportedTransaction(identifier, of: origin) else {
            return await driver.finish(transaction: identifier, of: origin)
        }
        if !finish.isRecorded { await driver.record(of: finish) }
    }

    /// The status of the subscription that the transaction belongs to.
    ///
    /// Nil for products that do not renew, and if the store does not respond. The status has the newest
    /// transaction of the subscription, which may be a different one.
    public var subscriptionStatus: Product.SubscriptionInfo.Status? {
        get async {
            guard payload.type.renews else { return nil }
            return try? await origin?.driver.statuses(.transaction(payload.transactionId)).first
        }
    }
}

extension Transaction {
    /// Returns a transaction by its identifier, even a finished consumable's; nil if there is none.
    ///
    /// - Throws: a ``StoreKitError`` if the store does not respond.
    package static func transaction(_ identifier: String) async throws -> Transaction? {
        var query = HistoryQuery(.transactions([identifier]))
        query.includesFinishedConsumables = true
        let page = try await StoreKit2Driver.current.page(query)
        return page.transactions.first.map { Transaction($0, page.origin) }
    }
}
