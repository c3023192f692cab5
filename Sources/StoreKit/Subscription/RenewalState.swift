extension Product.SubscriptionInfo {
    /// The state of a subscription.
    public struct RenewalState: RawRepresentable, Equatable, Hashable, Sendable {
        /// The number of the state, as the App Store's servers have it.
        public let rawValue: Int
        /// Creates a state, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The current period is paid for.
        public static let subscribed = RenewalState(rawValue: 1)
        /// The last period is over, and the store charges nothing any more.
        public static let expired = RenewalState(rawValue: 2)
        /// The last renewal could not be charged and is tried again; the user has no access.
        public static let inBillingRetryPeriod = RenewalState(rawValue: 3)
        /// The last renewal could not be charged; the user has access for a while nevertheless.
        public static let inGracePeriod = RenewalState(rawValue: 4)
        /// The current period was refunded, or is no longer shared by the family.
        public static let revoked = RenewalState(rawValue: 5)

        /// The state in words, in English.
        public var localizedDescription: String {
            switch self {
            case .subscribed: "Subscribed"
            case .expired: "Expired"
            case .inBillingRetryPeriod: "Billing retry"
            case .inGracePeriod: "Grace period"
            case .revoked: "Revoked"
            default: "Unknown"
            }
        }
    }
}
