import Foundation

/// Names one opening of one journal: a queue numbers its commands within it.
///
/// Every launch counts in a name of its own, so that a number that was sent and then lost with the process is never
/// given to another command.
public struct JournalID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The identifier's 64 bits.
    public let rawValue: UInt64
    /// An identifier with given bits, for journals that keep their name and for runs that are replayed.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// A new identifier that no other journal has.
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
/// sees number n of a journal's opening, every smaller one has been acknowledged or will never be sent. A store therefore
/// needs to remember one number for each ``JournalID``, the highest it took: what is not above it is a repetition, to be
/// acknowledged and not done again.
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

/// One thing that a queue asks of a store.
public struct StoreCommand: Hashable, Codable, Sendable {
    /// What is asked for.
    public enum Action: Hashable, Codable, Sendable {
        /// Sell this. The outcome, a refusal included, comes as an update that carries the command's number.
        case purchase(StorePayment)
        /// The app is done with a transaction: forget it and never deliver it again. Unknown ones are none of the
        /// store's business any more and are acknowledged too.
        case finish(transaction: String)
        /// Make a new transaction for each finished one that can be restored, then say that the restore has ended.
        case restore(applicationUsername: String?)
    }

    /// The idempotency key.
    public let id: OrderID
    /// What is asked for.
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

/// What a store says to a submission.
///
/// Only this: outcomes come as updates.
public enum SubmissionReply: Hashable, Codable, Sendable {
    /// Every command of the submission is in the store for good, whatever happens to it there.
    case taken
    /// Passing trouble: some or all of the commands may not be in the store. They will be sent again, after a pause.
    case tryLater(StoreFailure)
}
