import StoreCore

/// The state of a transaction in plain words.
enum ConsoleState: String, CaseIterable, Sendable {
    case sold
    /// The purchase waits for another person.
    case waits
    /// The customer has to do something before the purchase is completed.
    case interrupted
    case failed
    /// The transaction was refunded, or is no longer shared with the account.
    case refunded
    case restored
    /// The payment sheet is open.
    case inProgress = "in progress"

    /// Returns the state of a transaction.
    ///
    /// - Parameters:
    ///   - transaction: the transaction.
    ///   - interrupted: the transactions that are interrupted.
    init(_ transaction: SandboxTransaction, interrupted: Set<String>) {
        switch transaction.state {
        case .purchasing: self = .inProgress
        case .deferred: self = .waits
        case .failed: self = interrupted.contains(transaction.id) ? .interrupted : .failed
        case .restored: self = .restored
        case .purchased: self = transaction.cancellationDate == nil ? .sold : .refunded
        }
    }
}
