import Foundation

/// What apps' servers have changed, and the requests for refunds.
struct ServerState: StatePart, Equatable {
    /// A token that a server has set.
    struct Token: Hashable, Codable, Sendable {
        let value: UUID
        /// The first transaction that is not subject to it, since its payment came later.
        let end: TransactionNumber
    }

    /// An extension for all subscribers of a product, with the moment at which it was done.
    struct DatedMassExtension: Hashable, Codable, Sendable {
        let outcome: MassExtension
        let date: Date
    }

    /// The transactions whose refund was requested and not approved at once.
    private var refundRequests: Set<TransactionNumber> = []
    /// Those of them that are to be decided, each with the number of its request, which ascends.
    private var undecidedRequests: [TransactionNumber: Int] = [:]
    private var lastRequest = 0
    /// The dates at which each subscription was extended, oldest first.
    private var extensions: [SubscriptionIndex: [Date]] = [:]
    private(set) var massExtensions: [DatedMassExtension] = []
    /// The tokens that servers have set, by the first transaction of each purchase.
    private var tokens: [TransactionNumber: Token] = [:]
    /// Whether notifications have begun.
    private(set) var notifies = false

    /// Whether a transaction's refund was requested before and not approved at once.
    func wasRefundRequested(of transaction: TransactionNumber) -> Bool { refundRequests.contains(transaction) }

    /// Whether a request for a transaction's refund is to be decided.
    func isRefundUndecided(of transaction: TransactionNumber) -> Bool { undecidedRequests[transaction] != nil }

    /// The transactions whose refund was requested and is to be decided, oldest request first.
    var undecidedRefunds: [TransactionNumber] { undecidedRequests.sorted { $0.value < $1.value }.map(\.key) }

    /// Returns the number of a subscription's extensions since a moment.
    func extensions(of subscription: SubscriptionIndex, since moment: Date) -> Int {
        extensions[subscription]?.count { $0 > moment } ?? 0
    }

    /// Returns the extension for all subscribers of a product that a request asked for; nil for none.
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

    /// Records that transactions are refunded: no request for that waits any more.
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

    /// Removes what is about transactions, as all of them are deleted.
    mutating func forgetTransactions() {
        (refundRequests, undecidedRequests) = ([], [:])
        extensions = [:]
        tokens = [:]
    }
}
