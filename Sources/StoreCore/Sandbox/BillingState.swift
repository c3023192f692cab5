import Foundation

/// A renewal that could not be paid for, and for how long the store puts up with it.
struct BillingTrouble: Hashable, Codable, Sendable {
    /// When the grace period ends; nil without one, and once it is over.
    var graceEnd: Date?
    /// When the store gives up collecting.
    let retryEnd: Date

    /// When something happens next if nobody pays.
    var nextMoment: Date { graceEnd ?? retryEnd }
}

/// A price that a subscriber has been asked to agree to.
struct PriceIncrease: Hashable, Codable, Sendable {
    /// What they go on paying without having agreed, nil for the product's price.
    var keptPrice: Decimal?
    /// How the question stands, nil where it was withdrawn or declined.
    var consent: PriceConsent?
}

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
