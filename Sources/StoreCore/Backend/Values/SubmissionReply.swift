/// A store's reply to a submission.
///
/// It acknowledges only: outcomes come as updates.
public enum SubmissionReply: Hashable, Sendable {
    /// Every command of the submission is durably in the store, whatever its outcome there.
    case taken
    /// A temporary failure: some or all of the commands may not be in the store. The queue retries them, after a pause.
    case tryLater(StoreFailure)
    /// The store will never take these commands, and has taken all others of the submission as with ``taken``.
    ///
    /// For what a store cannot even keep: a command that is too long for it, or that it cannot read. An order that it reads
    /// and declines is taken, and ends as a failed transaction. The queue fails the purchases and restores among the
    /// commands, and sends none of them again. What it is told for a finish goes to the log.
    case refused([RefusedCommand])
}

/// A command that a store will never take.
public struct RefusedCommand: Hashable, Codable, Sendable {
    /// The command's number.
    public var id: OrderID
    /// The reason, with one of Store Kit's codes for a purchase.
    public var failure: StoreFailure

    /// Names a refused command.
    public init(id: OrderID, failure: StoreFailure) {
        self.id = id
        self.failure = failure
    }
}

/// The error by which an ``AsyncStoreBackend`` refuses commands for good: ``SubmissionReply/refused(_:)``.
public struct RefusedCommandsError: Error, Hashable, CustomStringConvertible {
    /// The commands; all others of the submission are durably in the store.
    public var commands: [RefusedCommand]

    /// Creates an error.
    public init(_ commands: [RefusedCommand]) { self.commands = commands }

    /// A line for each command.
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

    /// Encodes the type, and what belongs to it.
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
