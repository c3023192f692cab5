import Foundation

/// What stands in the way of renewals, all subscriptions apart.
struct BillingState: Codable, Sendable {
    /// The accounts whose renewals cannot be paid for.
    var failingAccounts: Set<Int> = []
    /// Whether access goes on for a while after a renewal has failed.
    var grantsGracePeriod = false
    /// How often a subscription renews at the most, nil for no limit.
    var renewalLimit: Int?

    /// Whether a renewal may fail.
    var mayFail: Bool { !failingAccounts.isEmpty || renewalLimit != nil }
}
