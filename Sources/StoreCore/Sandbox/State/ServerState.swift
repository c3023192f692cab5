import Foundation

/// What apps' servers have changed, and the requests for refunds.
struct ServerState: StatePart, Equatable {
    /// A request for a refund that was not approved at once.
    struct RefundRequest: Hashable, Codable, Sendable {
        let transaction: TransactionNumber
        var isDeclined: Bool
    }

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

    /// The requests for refunds, oldest first.
    private(set) var refundRequests: [RefundRequest] = []
    /// The dates at which each subscription was extended, oldest first.
    private var extensions: [SubscriptionIndex: [Date]] = [:]
    private(set) var massExtensions: [DatedMassExtension] = []
    /// The tokens that servers have set, by the first transaction of each purchase.
    private var tokens: [TransactionNumber: Token] = [:]
    /// Whether notifications have begun.
    private(set) var notifies = false

    /// Returns the request for a transaction's refund, nil for none.
    func refundRequest(for transaction: TransactionNumber) -> RefundRequest? {
        refundRequests.first { $0.transaction == transaction }
    }

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
        forgetRefundRequests(for: [transaction])
        refundRequests.append(RefundRequest(transaction: transaction, isDeclined: false))
    }

    mutating func decline(refundOf transaction: TransactionNumber) {
        if let index = refundRequests.firstIndex(where: { $0.transaction == transaction }) {
            refundRequests[index].isDeclined = true
        } else {
            refundRequests.append(RefundRequest(transaction: transaction, isDeclined: true))
        }
    }

    mutating func forgetRefundRequests(for transactions: [TransactionNumber]) {
        if refundRequests.isEmpty { return }
        refundRequests.removeAll { transactions.contains($0.transaction) }
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
        refundRequests = []
        extensions = [:]
        tokens = [:]
    }
}
