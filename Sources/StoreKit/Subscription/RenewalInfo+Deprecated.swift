// Strings from before their types.
extension Product.SubscriptionInfo.RenewalInfo {
    /// The raw value of the ``environment``.
    @available(*, deprecated, renamed: "environment")
    public var environmentStringRepresentation: String { payload.environment }

    /// The code of the ``currency``, ISO 4217.
    @available(*, deprecated, renamed: "currency.identifier")
    public var currencyCode: String? { payload.currency }

    /// The kind of the ``offer``.
    @available(*, deprecated, renamed: "offer.type")
    public var offerType: Transaction.OfferType? {
        payload.offerType.map { Transaction.OfferType(rawValue: $0.rawValue) }
    }

    /// The identifier of the ``offer``.
    @available(*, deprecated, renamed: "offer.id")
    public var offerID: String? { payload.offerIdentifier }

    /// The raw value of the ``offer``'s way to pay.
    @available(*, deprecated, renamed: "offer.paymentMode.rawValue")
    public var offerPaymentModeStringRepresentation: String? { payload.offerDiscountType?.rawValue }

    /// The whole length of the ``offer``, ISO 8601.
    @available(*, deprecated, renamed: "offer")
    public var offerPeriodStringRepresentation: String? { payload.offerPeriod }
}
