import Foundation

/// A request that a queue sends to a store.
public struct StoreCommand: Hashable, Codable, Sendable {
    /// The kind of request, with its arguments.
    public enum Action: Hashable, Sendable {
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

extension StoreCommand.Action: Codable {
    private enum Kind: String, Codable { case purchase, finish, restore }

    private enum CodingKeys: String, CodingKey {
        case type, payment, transactionIdentifier, applicationUsername
    }

    /// The form that the first version wrote into journals.
    private enum FirstForm: Decodable {
        case purchase(StorePayment)
        case finish(transaction: String)
        case restore(applicationUsername: String?)
    }

    /// Decodes an action by its type, or in the form that the first version wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decodeIfPresent(Kind.self, forKey: .type) {
        case .purchase: self = .purchase(try container.decode(StorePayment.self, forKey: .payment))
        case .finish: self = .finish(transaction: try container.decode(String.self, forKey: .transactionIdentifier))
        case .restore:
            let username = try container.decodeIfPresent(String.self, forKey: .applicationUsername)
            self = .restore(applicationUsername: username)
        case nil:
            switch try FirstForm(from: decoder) {
            case .purchase(let payment): self = .purchase(payment)
            case .finish(let transaction): self = .finish(transaction: transaction)
            case .restore(let username): self = .restore(applicationUsername: username)
            }
        }
    }

    /// Encodes the type, and what belongs to it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .purchase(let payment):
            try container.encode(Kind.purchase, forKey: .type)
            try container.encode(payment, forKey: .payment)
        case .finish(let transaction):
            try container.encode(Kind.finish, forKey: .type)
            try container.encode(transaction, forKey: .transactionIdentifier)
        case .restore(let username):
            try container.encode(Kind.restore, forKey: .type)
            try container.encodeIfPresent(username, forKey: .applicationUsername)
        }
    }
}
