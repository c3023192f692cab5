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
