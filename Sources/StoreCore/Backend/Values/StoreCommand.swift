import Foundation

/// A request that a queue sends to a store.
public struct StoreCommand: Hashable, Codable, Sendable {
    /// The kind of request, with its arguments.
    public enum Action: Hashable, Codable, Sendable {
        /// Sells a product. The outcome, a refusal included, comes as an update that carries the command's number.
        case purchase(StorePayment)
        /// Forgets a transaction that the app has finished, and never delivers it again. An unknown transaction is
        /// acknowledged too.
        case finish(transaction: String)
        /// Makes a new transaction for each finished one that can be restored, then reports the end of the restore.
        case restore(applicationUsername: String?)
    }

    /// The idempotency key.
    public let id: OrderID
    /// The kind of request.
    public let action: Action
    /// Makes a command.
    public init(id: OrderID, action: Action) {
        self.id = id
        self.action = action
    }

    /// Whether it is a purchase with special terms, see ``StorePayment/hasSpecialTerms``.
    var hasSpecialTerms: Bool {
        if case .purchase(let payment) = action { payment.hasSpecialTerms } else { false }
    }
}
