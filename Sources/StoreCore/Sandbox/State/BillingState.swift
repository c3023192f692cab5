import Foundation

/// The state of renewal payments that is common to all subscriptions.
struct BillingState: StatePart, Equatable {
    /// The accounts to which renewals cannot be charged.
    var failingAccounts: Set<AccountID> = []
    /// Whether access continues for a while after a failed renewal.
    var grantsGracePeriod = false
    /// The greatest number of renewals of a subscription, nil for no limit.
    var renewalLimit: Int?

    /// Whether a renewal may fail.
    var mayFail: Bool { !failingAccounts.isEmpty || renewalLimit != nil }
}
