import Foundation

/// A failed renewal charge, with the end of its grace period and of billing retry.
struct BillingTrouble: Hashable, Codable, Sendable {
    /// The end of the grace period; nil without one, and once it is over.
    var graceEnd: Date?
    /// The end of billing retry.
    let retryEnd: Date

    /// The next moment at which something happens if the charge keeps failing.
    var nextMoment: Date { graceEnd ?? retryEnd }
}
