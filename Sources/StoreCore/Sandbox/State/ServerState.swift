import Foundation

/// The changes made by apps' servers, and the requests for refunds.
struct ServerState: StatePart, Equatable {
    /// A token that a server has set.
    struct Token: Hashable, Codable, Sendable {
        let value: UUID
        /// The first transaction created after the token was set: from this one on, payments have tokens of their own.
        let end: TransactionNumber
    }

    /// An extension for all subscribers to a product, with the time of its execution.
    struct DatedMassExtension: Hashable, Codable, Sendable {
        let outcome: MassExtension
        let date: Date
    }

    /// The transactions with a refund request that was not approved at once.
    private var refundRequests: Set<TransactionNumber> = []
    /// The pending refund requests, numbered in the order of their arrival.
    private var undecidedRequests: [TransactionNumber: Int] = [:]
    private var lastRequest = 0
    /// The dates on which each subscription was extended, oldest first.
    private var extensions: [SubscriptionIndex: [Date]] = [:]
    private(set) var massExtensions: [DatedMassExtension] = []
    /// The tokens that servers have set, by the first transaction of each purchase.
    private var tokens: [TransactionNumber: Token] = [:]
    /// Whether notifications have begun.
    private(set) var notifies = false
    /// The retention messages; nil, as in snapshots of older versions, while there are none.
    private var setRetention: RetentionState?

    /// The retention messages, with what belongs to them.
    var retention: RetentionState {
        get { setRetention ?? RetentionState() }
        set { setRetention = newValue == RetentionState() ? nil : newValue }
    }

    /// The purchases of Advanced Commerce; nil, as in snapshots of older versions, while there are none.
    private var requestedPurchases: AdvancedCommerceState?

    /// Whether there are purchases of Advanced Commerce.
    var hasAdvancedCommerce: Bool { requestedPurchases != nil }

    /// The purchases of Advanced Commerce.
    var advancedCommerce: AdvancedCommerceState {
        get { requestedPurchases ?? AdvancedCommerceState() }
        _modify {
            var purchases = requestedPurchases ?? AdvancedCommerceState()
            requestedPurchases = nil
            defer { requestedPurchases = purchases }
            yield &purchases
        }
    }

    /// Whether a refund was requested for a transaction and not approved at once.
    func wasRefundRequested(of transaction: TransactionNumber) -> Bool { refundRequests.contains(transaction) }

    /// Whether a transaction has a pending refund request.
    func isRefundUndecided(of transaction: TransactionNumber) -> Bool { undecidedRequests[transaction] != nil }

    /// The transactions with a pending refund request, oldest request first.
    var undecidedRefunds: [TransactionNumber] { undecidedRequests.sorted { $0.value < $1.value }.map(\.key) }

    /// Returns the number of a subscription's extensions since a moment.
    func extensions(of subscription: SubscriptionIndex, since moment: Date) -> Int {
        extensions[subscription]?.count { $0 > moment } ?? 0
    }

    /// Returns a request's extension for all subscribers to a product; nil if there is none.
    func massExtension(of product: ProductIndex, request: String) -> DatedMassExtension? {
        massExtensions.first { $0.outcome.product == product && $0.outcome.request == request }
    }

    /// Returns the token that a server has set for a transaction of a purchase; nil for none.
    func token(of transaction: TransactionNumber, original: TransactionNumber) -> UUID? {
        guard !tokens.isEmpty, let token = tokens[original], transaction < token.end else { return nil }
        return token.value
    }
}

// MARK: - Changes

extension ServerState {
    mutating func request(refundOf transaction: TransactionNumber) {
        lastRequest += 1
        refundRequests.insert(transaction)
        undecidedRequests[transaction] = lastRequest
    }

    mutating func decline(refundOf transaction: TransactionNumber) {
        refundRequests.insert(transaction)
        undecidedRequests[transaction] = nil
    }

    /// Records that transactions are refunded: their refund requests are no longer pending.
    mutating func decide(refundOf transactions: [TransactionNumber]) {
        if undecidedRequests.isEmpty { return }
        for transaction in transactions { undecidedRequests[transaction] = nil }
    }

    mutating func forgetRefundRequests(for transactions: [TransactionNumber]) {
        if refundRequests.isEmpty { return }
        refundRequests.subtract(transactions)
        for transaction in transactions { undecidedRequests[transaction] = nil }
    }

    mutating func extended(_ subscription: SubscriptionIndex, at date: Date) {
        extensions[subscription, default: []].append(date)
    }

    mutating func extendedAll(_ outcome: MassExtension, at date: Date) {
        massExtensions.append(DatedMassExtension(outcome: outcome, date: date))
    }

    mutating func set(_ token: UUID, original: TransactionNumber, end: TransactionNumber) {
        tokens[original] = Token(value: token, end: end)
    }

    mutating func beginNotifications() { notifies = true }

    /// Removes all data about transactions, since all of them are deleted.
    mutating func forgetTransactions() {
        (refundRequests, undecidedRequests) = ([], [:])
        extensions = [:]
        tokens = [:]
        requestedPurchases?.forgetPurchases()
    }
}

extension SandboxState {
    /// Applies a request of an app's server, or a notification to it.
    mutating func apply(_ change: ServerChange, _ date: Date) {
        switch change {
        case .extended(let subscription, let term, _):
            cut(subscription, to: term)
            server.extended(subscription, at: date)
        case .extendedAll(let outcome): server.extendedAll(outcome, at: date)
        case .tokenSet(let original, _, let token):
            server.set(token, original: original, end: nextTransaction)
            if let index = subscriptions.index(ofOriginal: original) { setUser(token, of: index) }
        case .refundRequested(let transaction, _): server.request(refundOf: transaction)
        case .refundDeclined(let transaction): server.decline(refundOf: transaction)
        case .refundReversed(let reversal): apply(reversal)
        case .notificationsBegun: server.beginNotifications()
        case .finished(let finish): self.finish(finish.transaction)
        case .retention(let change): server.retention.apply(change)
        case .advancedCommerce(let change): apply(change, date)
        case .notExtended, .consumptionReported, .consentRescinded, .testRequested, .attempted: break
        }
    }

    private mutating func apply(_ reversal: RefundReversal) {
        purchasesChange()
        server.forgetRefundRequests(for: reversal.transactions)
        if server.hasAdvancedCommerce { server.advancedCommerce.forgetRefunds(of: reversal.transactions) }
        let (account, transactions) = (reversal.account, reversal.transactions)
        for transaction in transactions { revocations.restore(transaction.identifier) }
        revocations.forgetRefunds(of: transactions)
        accounts[account].history.setCancelled(false, transactions)
        let history = accounts[account].history
        let isOwned = transactions.contains { history.index(of: $0).map { history[$0].isOwn } ?? false }
        var givesAccess = true
        switch catalog.kind(of: reversal.product) {
        case _ where areForGood(transactions, of: account):
            givesAccess = isOwned
            if isOwned { accounts[account].owned.insert(reversal.product) }
        case _ where arePeriods(transactions, of: account), .autoRenewable, .subscriptionSuite, .subscriptionBundle:
            givesAccess = reversal.resumed != nil
            if let index = reversal.resumed, subscriptions[index].end == .revoked { subscriptions.resume(index) }
        case .nonConsumable, .freeSubscription: givesAccess = false
        case .consumable, .nonRenewing: break
        }
        if givesAccess { revocations.withdrawNotices(to: account, about: catalog[reversal.product].identifier) }
    }

    /// Adds the updates that a queue on a device receives after a change, which the state has applied.
    func addUpdates(from change: ServerChange, for device: DeviceID, to updates: inout [StoreUpdate]) {
        if case .finished(let finish) = change { addWithdrawals([finish], for: device, to: &updates) }
    }

    /// Whether everything that a change refers to exists.
    func admits(_ change: ServerChange) -> Bool {
        switch change {
        case .extended(let subscription, let term, _):
            subscriptions.index(ofOriginal: term.original) == subscription && catalog.has(term.product)
        case .notExtended(let subscription, _), .retention(.viewed(let subscription, _, _)):
            subscriptions.indices.contains(subscription)
        case .extendedAll(let outcome): catalog.has(outcome.product)
        case .tokenSet(_, let account, _), .consentRescinded(let account): accounts.indices.contains(account)
        case .refundReversed(let reversal):
            accounts.indices.contains(reversal.account) && catalog.has(reversal.product)
                && reversal.resumed.map { index in
                    subscriptions.indices.contains(index) && subscriptions[index].account == reversal.account
                } ?? true
        case .advancedCommerce(let change): admits(change)
        case .consumptionReported, .refundRequested, .refundDeclined, .notificationsBegun, .testRequested, .attempted,
            .finished, .retention:
            true
        }
    }
}
