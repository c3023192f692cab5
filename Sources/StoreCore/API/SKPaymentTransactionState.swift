extension SKPaymentTransactionState {
    /// The case's name for logs, nil without a case.
    ///
    /// Imported from C, the enumeration itself prints as a number.
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
