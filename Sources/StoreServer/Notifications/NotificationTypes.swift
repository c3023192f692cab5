/// The types of notifications that the App Store sends.
enum NotificationTypes {
    /// The types, in alphabetical order.
    static var all: [String] { subtypes.keys.sorted() }

    /// The types, each with the subtypes that it may have.
    static let subtypes: [String: Set<String>] = [
        "CONSUMPTION_REQUEST": [],
        "DID_CHANGE_RENEWAL_PREF": ["DOWNGRADE", "UPGRADE"],
        "DID_CHANGE_RENEWAL_STATUS": ["AUTO_RENEW_DISABLED", "AUTO_RENEW_ENABLED"],
        "DID_FAIL_TO_RENEW": ["GRACE_PERIOD"],
        "DID_RENEW": ["BILLING_RECOVERY"],
        "EXPIRED": ["BILLING_RETRY", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE", "VOLUNTARY"],
        "EXTERNAL_PURCHASE_TOKEN": ["ACTIVE_TOKEN_REMINDER", "CREATED", "UNREPORTED"],
        "GRACE_PERIOD_EXPIRED": [],
        "METADATA_UPDATE": [],
        "MIGRATION": [],
        // Until 2024, this type was also sent for the present `SUBSCRIBED`.
        "OFFER_REDEEMED": ["DOWNGRADE", "INITIAL_BUY", "RESUBSCRIBE", "UPGRADE"],
        "ONE_TIME_CHARGE": [],
        "PRICE_CHANGE": [],
        "PRICE_INCREASE": ["ACCEPTED", "PENDING"],
        "REFUND": [],
        "REFUND_DECLINED": [],
        "REFUND_REVERSED": [],
        "RENEWAL_EXTENDED": [],
        "RENEWAL_EXTENSION": ["FAILURE", "SUMMARY"],
        "RESCIND_CONSENT": [],
        "REVOKE": [],
        "SUBSCRIBED": ["INITIAL_BUY", "RESUBSCRIBE"],
        "TEST": [],
    ]
}
