extension Product.SubscriptionInfo.RenewalInfo {
    /// A reason why a subscription has expired or is not paid for.
    public struct ExpirationReason: RawRepresentable, Equatable, Hashable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a reason, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The user turned renewal off.
        public static let autoRenewDisabled = ExpirationReason(rawValue: 1)
        /// The renewal could not be charged.
        public static let billingError = ExpirationReason(rawValue: 2)
        /// The user did not consent to a price increase.
        public static let didNotConsentToPriceIncrease = ExpirationReason(rawValue: 3)
        /// The product was no longer on sale.
        public static let productUnavailable = ExpirationReason(rawValue: 4)
        /// Anything else.
        public static let unknown = ExpirationReason(rawValue: 5)
        /// The subscription left its bundle.
        ///
        /// No payload of this library's stores has it, and Apple does not publish its number.
        public static var unbundled: ExpirationReason { ExpirationReason(rawValue: 6) }

        /// The reason in words, in English.
        public var localizedDescription: String {
            switch self {
            case .autoRenewDisabled: "Renewal turned off"
            case .billingError: "Billing error"
            case .didNotConsentToPriceIncrease: "Price increase not accepted"
            case .productUnavailable: "Product no longer on sale"
            case .unbundled: "Removed from a bundle"
            default: "Unknown"
            }
        }
    }
}
