// The values of a subscription's signed information: open sets, of which a later App Store may have more.
extension RenewalPayload {
    /// Whether a subscription will renew.
    public struct AutoRenewStatus: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// It will not.
        public static let off = AutoRenewStatus(rawValue: 0)
        /// It will.
        public static let on = AutoRenewStatus(rawValue: 1)
    }

    /// The reason why a subscription has expired or is not paid for.
    public struct ExpirationIntent: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The customer turned renewal off.
        public static let customerCanceled = ExpirationIntent(rawValue: 1)
        /// The renewal could not be charged.
        public static let billingError = ExpirationIntent(rawValue: 2)
        /// The customer did not consent to a price increase.
        public static let didNotConsentToPriceIncrease = ExpirationIntent(rawValue: 3)
        /// The product was no longer on sale.
        public static let productUnavailable = ExpirationIntent(rawValue: 4)
        /// Anything else, such as a store's renewal limit.
        public static let other = ExpirationIntent(rawValue: 5)
    }

    /// The state of a price increase that needs consent.
    public struct PriceIncreaseStatus: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The customer was asked and has not answered.
        public static let pending = PriceIncreaseStatus(rawValue: 0)
        /// The customer has consented.
        public static let agreed = PriceIncreaseStatus(rawValue: 1)
    }
}
