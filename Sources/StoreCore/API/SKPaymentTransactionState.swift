extension SKPaymentTransactionState {
    /// The name of the case for logs, nil without a case.
    ///
    /// The enumeration itself prints as a number, because it is imported from C.
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
