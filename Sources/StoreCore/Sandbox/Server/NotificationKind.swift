/// The kinds of notifications, in the App Store's words.
///
/// Left out are `EXTERNAL_PURCHASE_TOKEN`, for there are no purchases outside of the store, and `METADATA_UPDATE`,
/// `MIGRATION` and `PRICE_CHANGE`, which concern Advanced Commerce.
enum NotificationKind: String, Sendable {
    case subscribed = "SUBSCRIBED"
    case renewed = "DID_RENEW"
    case preferenceChanged = "DID_CHANGE_RENEWAL_PREF"
    case statusChanged = "DID_CHANGE_RENEWAL_STATUS"
    case offerRedeemed = "OFFER_REDEEMED"
    case renewalFailed = "DID_FAIL_TO_RENEW"
    case graceOver = "GRACE_PERIOD_EXPIRED"
    case expired = "EXPIRED"
    case priceIncrease = "PRICE_INCREASE"
    case refunded = "REFUND"
    case refundDeclined = "REFUND_DECLINED"
    case refundReversed = "REFUND_REVERSED"
    case consumptionRequested = "CONSUMPTION_REQUEST"
    case revoked = "REVOKE"
    case extended = "RENEWAL_EXTENDED"
    case extensionDone = "RENEWAL_EXTENSION"
    case oneTimeCharge = "ONE_TIME_CHARGE"
    case test = "TEST"
    case consentRescinded = "RESCIND_CONSENT"

    /// What a kind says more precisely.
    enum Detail: String, Sendable {
        case initialBuy = "INITIAL_BUY"
        case resubscribe = "RESUBSCRIBE"
        case billingRecovery = "BILLING_RECOVERY"
        case upgrade = "UPGRADE"
        case downgrade = "DOWNGRADE"
        case autoRenewEnabled = "AUTO_RENEW_ENABLED"
        case autoRenewDisabled = "AUTO_RENEW_DISABLED"
        case gracePeriod = "GRACE_PERIOD"
        case voluntary = "VOLUNTARY"
        case billingRetry = "BILLING_RETRY"
        case priceIncrease = "PRICE_INCREASE"
        case productNotForSale = "PRODUCT_NOT_FOR_SALE"
        case pending = "PENDING"
        case accepted = "ACCEPTED"
        case summary = "SUMMARY"
        case failure = "FAILURE"

        /// Creates the reason of an end; nil for one that has no word of its own.
        init?(_ end: SubscriptionEnd) {
            switch end {
            case .autoRenewDisabled: self = .voluntary
            case .billingError: self = .billingRetry
            case .didNotConsentToPriceIncrease: self = .priceIncrease
            case .productUnavailable: self = .productNotForSale
            case .renewalLimitReached, .revoked: return nil
            }
        }
    }
}
