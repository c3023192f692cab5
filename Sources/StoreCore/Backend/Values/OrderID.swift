/// The number of a command: the idempotency key under which a store takes it exactly once.
///
/// A queue has one submission under way at a time and sends its commands in the order of their numbers. So when a store
/// sees number n of a journal's opening, every smaller one has been acknowledged or will never be sent. What is finished
/// on a queue that another has followed has an opening of its own, since the next queue sends what is left. A store
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
