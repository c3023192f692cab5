/// A record that could not be read.
///
/// It is kept beside the others, as it was found, for inspection: in the table `damaged`, or, where SQLite cannot read
/// the page that it was on, in the whole table as it was, which then has a name such as `record_damaged_1`.
public struct DamagedRecord: Hashable, Sendable {
    /// The part of the file that held a record.
    public enum Place: String, Hashable, Sendable {
        /// The store's ledger.
        case ledger
        /// The queue's journal.
        case journal
        /// The shortcut past the ledger's older records, which costs time and nothing else.
        case snapshot
    }

    /// The part of the file that held it.
    public let place: Place
    /// Its number there.
    public let number: Int
    /// The damage, in one line.
    public let reason: String
}
