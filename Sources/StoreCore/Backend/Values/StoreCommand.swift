import Foundation

/// The name of one opening of one journal, within which a queue numbers its commands.
///
/// Every launch has a name of its own, so that a number that was sent and then lost with the process is never given to
/// another command.
public struct JournalID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The identifier's 64 bits.
    public let rawValue: UInt64
    /// Makes an identifier with given bits, for journals that keep their name and for runs that are replayed.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Returns a new identifier that no other journal has.
    public static func unique() -> JournalID { JournalID(rawValue: .random(in: .min ... .max)) }
    /// Sixteen hexadecimal digits.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The number of a command: the idempotency key under which a store takes it exactly once.
///
/// A queue has one submission under way at a time and sends its commands in the order of their numbers. So when a store
/// sees number n of a journal's opening, every smaller one has been acknowledged or will never be sent. A store
/// therefore needs to remember one number for each ``JournalID``, the highest it accepted. A number not above it is a
/// repetition, to be acknowledged and not executed again.
public struct OrderID: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The opening of a journal that gave the number.
    public let journal: JournalID
    /// The running number, from 1.
    public let number: Int
    /// Names a command by its journal and number.
    public init(journal: JournalID, number: Int) {
        self.journal = journal
        self.number = number
    }
    /// The journal and the number.
    public var description: String { "\(journal)/\(number)" }
}

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

    var hasDiscount: Bool {
        if case .purchase(let payment) = action { payment.hasDiscount } else { false }
    }
}

/// A store's reply to a submission.
///
/// It acknowledges only: outcomes come as updates.
public enum SubmissionReply: Hashable, Codable, Sendable {
    /// Every command of the submission is durably in the store, whatever its outcome there.
    case taken
    /// A temporary failure: some or all of the commands may not be in the store. The queue retries them, after a pause.
    case tryLater(StoreFailure)
}
