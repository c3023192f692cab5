extension SKPaymentTransactionState {
    /// The case's name for logs, nil without a case.
    ///
    /// An enumeration of C's prints as its number.
    package var name: String? {
        switch self {
        case .purchasing: "purchasing"
        case .purchased: "purchased"
        case .failed: "failed"
        case .restored: "restored"
        case .deferred: "deferred"
        @unknown default: nil
        }
    }
}
