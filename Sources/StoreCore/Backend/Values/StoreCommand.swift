import Foundation

/// A command: a request that a queue sends to a store.
public struct StoreCommand: Hashable, Codable, Sendable {
    /// The kind of request, with its arguments.
    ///
    /// Later versions may add cases: a `switch` needs a `default`.
    public enum Action: Hashable, Sendable {
        /// Sells a product. The outcome, even a refusal, arrives as an update with the command's number.
        case purchase(StorePayment)
        /// Removes a transaction that the app has finished, so that the store never delivers it again.
        ///
        /// The store acknowledges the finish of an unknown transaction too.
        case finish(transaction: String)
        /// Delivers a new transaction for each finished one that can be restored, then reports the end of the restore.
        ///
        /// The name is that of one of the app's own users, whose purchases are restored; nil for all purchases.
        case restore(applicationUsername: String?)
    }

    /// The idempotency key.
    public let id: OrderID
    /// The kind of request.
    public let action: Action
    /// Creates a command.
    public init(id: OrderID, action: Action) {
        self.id = id
        self.action = action
    }

    /// Whether the command is a purchase with special terms, see ``StorePayment/hasSpecialTerms``.
    var hasSpecialTerms: Bool { if case .purchase(let payment) = action { payment.hasSpecialTerms } else { false } }
}

extension StoreCommand.Action: Codable {
    private enum Kind: String, Codable { case purchase, finish, restore }

    private enum CodingKeys: String, CodingKey {
        case type, payment, transactionIdentifier, applicationUsername
    }

    /// An action in the form in which the first version wrote it into journals.
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

    /// Encodes the type of the action, and the values that belong to it.
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

/// A store's reply to a submission.
///
/// The reply only acknowledges commands: their outcomes arrive as updates.
///
/// Later versions may add cases: a `switch` needs a `default`.
public enum SubmissionReply: Hashable, Sendable {
    /// Every command of the submission is durably in the store, whatever its outcome will be.
    case taken
    /// A temporary failure: some or all of the commands may not be in the store.
    ///
    /// The queue retries the purchases and finishes after a pause, without an error for the app. Restores fail at once
    /// with the failure, and are not retried.
    case tryLater(StoreFailure)
    /// The store will never accept these commands, and has accepted all others of the submission as with ``taken``.
    ///
    /// This reply is for commands that the store cannot even record, because they are too long or unreadable. The reply
    /// to an order that the store has read and declines is ``taken``; the order becomes a failed transaction. The queue
    /// fails the purchases and restores among the refused commands, logs the finishes, and sends none of them again.
    case refused([RefusedCommand])
}

/// A command that a store will never accept.
public struct RefusedCommand: Hashable, Codable, Sendable {
    /// The command's number.
    public var id: OrderID
    /// The reason for the refusal; for a purchase, with one of Store Kit's codes.
    public var failure: StoreFailure

    /// Creates a refusal of a command.
    public init(id: OrderID, failure: StoreFailure) {
        self.id = id
        self.failure = failure
    }
}

/// The error by which an ``AsyncStoreBackend`` refuses commands permanently, like ``SubmissionReply/refused(_:)``.
public struct RefusedCommandsError: Error, Hashable, CustomStringConvertible {
    /// The refused commands; all others of the submission are durably in the store.
    package var commands: [RefusedCommand]

    /// Creates an error.
    public init(_ commands: [RefusedCommand]) { self.commands = commands }

    /// The refused commands with their reasons, in a line each.
    public var description: String { commands.map { "\($0.id): \($0.failure)" }.joined(separator: "\n") }
}

extension SubmissionReply: Codable {
    private enum Kind: String, Codable { case taken, tryLater, refused }
    private enum CodingKeys: String, CodingKey { case type, failure, commands }

    /// Decodes a reply by its type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .type) {
        case .taken: self = .taken
        case .tryLater: self = .tryLater(try container.decode(StoreFailure.self, forKey: .failure))
        case .refused: self = .refused(try container.decode([RefusedCommand].self, forKey: .commands))
        }
    }

    /// Encodes the type of the reply, and the values that belong to it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .taken: try container.encode(Kind.taken, forKey: .type)
        case .tryLater(let failure):
            try container.encode(Kind.tryLater, forKey: .type)
            try container.encode(failure, forKey: .failure)
        case .refused(let commands):
            try container.encode(Kind.refused, forKey: .type)
            try container.encode(commands, forKey: .commands)
        }
    }
}
