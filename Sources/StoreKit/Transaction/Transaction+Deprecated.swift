// Strings from before their types.
extension Transaction {
    /// The raw value of the ``environment``.
    @available(*, deprecated, renamed: "environment")
    public var environmentStringRepresentation: String { payload.environment }

    /// The raw value of the ``reason``.
    @available(*, deprecated, renamed: "reason")
    public var reasonStringRepresentation: String { reason.rawValue }

    /// The code of the ``currency``, ISO 4217.
    @available(*, deprecated, renamed: "currency.identifier")
    public var currencyCode: String? { payload.currency }

    /// The country of the ``storefront``, ISO 3166-1 alpha-3; empty if the store does not tell.
    @available(*, deprecated, renamed: "storefront")
    public var storefrontCountryCode: String { payload.storefront ?? "" }

    /// The kind of the ``offer``.
    @available(*, deprecated, renamed: "offer.type")
    public var offerType: OfferType? { payload.offerType.map { OfferType(rawValue: $0.rawValue) } }

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
