/// The transactions from which `first` and `last` choose.
public enum ScenarioTransactions: String, Hashable, Sendable {
    /// Every transaction.
    case all
    /// Purchases and renewals that were sold and are not refunded.
    case sold
    /// Purchases that wait for a decision.
    case undecided
    /// Purchases that were interrupted and wait to be resolved.
    case interrupted
    /// Refunded ones.
    case refunded
    /// Those whose refund was requested and is not decided.
    case refundRequests
    /// Those that the app has not finished.
    case unfinished
}

/// A transaction in a scenario's word: its number, or its place among those that a command can act on.
enum TransactionReference: Hashable {
    case identifier(String)
    case first
    case last
    /// The place from the first, counted around: `any-3`.
    case any(Int)

    init?(_ text: String) {
        switch text {
        case "first": self = .first
        case "last": self = .last
        default:
            if text.hasPrefix("any-"), let place = Int(text.dropFirst(4)), place >= 0 {
                self = .any(place)
            } else if !text.isEmpty, text.count <= 19, text.allSatisfy({ $0.isASCII && $0.isNumber }) {
                self = .identifier(text)
            } else {
                return nil
            }
        }
    }
}
