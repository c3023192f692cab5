import StoreScenario

/// A rule by which a server delivers notifications with a fault.
///
/// The first rule that a notification satisfies applies to its delivery. Retries, and notifications that are sent again
/// on request, satisfy no rule.
package struct DeliveryRule: Hashable, Sendable {
    /// The fault.
    package let fault: DeliveryFault
    /// The number of notifications that the rule still applies to; nil for all until the rule is removed.
    package internal(set) var times: Int?
    /// The type of the notifications, such as `DID_RENEW`; nil for every type.
    package let type: String?
}

extension DeliveryRule {
    /// Throws an error if the rule is invalid for every store.
    func check() throws(StoreServerError) {
        if let times, times < 1 { throw StoreServerError("the times of a rule are a whole number from 1") }
        if let type, !NotificationTypes.all.contains(type) {
            let hint = Suggestion.text(for: type, among: NotificationTypes.all)
            throw StoreServerError("\"\(type)\" is not a type of notifications\(hint)")
        }
        if case .late(let seconds) = fault, !(0...DeliveryFault.maximumDelay).contains(seconds) {
            let maximum = Int(DeliveryFault.maximumDelay)
            throw StoreServerError("a late notification needs a number of seconds from 0 to \(maximum)")
        }
    }
}

extension [DeliveryRule] {
    /// Counts a notification for the first rule that it satisfies, and returns the rule's fault.
    ///
    /// - Parameters:
    ///   - type: the notification's type.
    ///   - isPossible: whether a fault is possible now.
    /// - Returns: the fault; nil if the notification satisfies no rule.
    mutating func takeFault(ofType type: String, where isPossible: (DeliveryFault) -> Bool) -> DeliveryFault? {
        let first = firstIndex { ($0.type == nil || $0.type == type) && isPossible($0.fault) }
        guard let first else { return nil }
        let fault = self[first].fault
        if let times = self[first].times { self[first].times = times - 1 }
        if self[first].times == 0 { remove(at: first) }
        return fault
    }
}
