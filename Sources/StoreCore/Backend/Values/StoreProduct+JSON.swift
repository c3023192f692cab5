// Products in JSON: prices and sizes as text, units and modes by name.
extension StoreProduct.Period.Unit {
    static let names = ["day", "week", "month", "year"]

    /// Decodes a unit from its name, or from the number that the first version wrote.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeNamed() }

    /// Encodes the unit's name.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(nameOf: self) }
}

extension StoreProduct.Offer.PaymentMode {
    static let names = ["payAsYouGo", "payUpFront", "freeTrial"]

    /// Decodes a mode from its name, or from the number that the first version wrote.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeNamed() }

    /// Encodes the mode's name.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(nameOf: self) }
}

extension StoreProduct.Offer {
    private enum CodingKeys: String, CodingKey { case identifier, price, paymentMode, period, periodCount }

    /// Decodes an offer, whose price is text, or a number as the first version wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identifier: try container.decodeIfPresent(String.self, forKey: .identifier),
            price: try container.decode(DecimalText.self, forKey: .price).value,
            paymentMode: try container.decode(PaymentMode.self, forKey: .paymentMode),
            period: try container.decode(StoreProduct.Period.self, forKey: .period),
            periodCount: try container.decode(Int.self, forKey: .periodCount)
        )
    }

    /// Encodes all parts, the price as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(identifier, forKey: .identifier)
        try container.encode(DecimalText(price), forKey: .price)
        try container.encode(paymentMode, forKey: .paymentMode)
        try container.encode(period, forKey: .period)
        try container.encode(periodCount, forKey: .periodCount)
    }
}

extension StoreProduct.BillingTerms {
    private enum CodingKeys: String, CodingKey { case plan, price, commitmentPrice }

    /// Decodes terms, whose prices are text, or numbers as the first version wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            plan: try container.decode(StoreProduct.BillingPlan.self, forKey: .plan),
            price: try container.decode(DecimalText.self, forKey: .price).value,
            commitmentPrice: try container.decode(DecimalText.self, forKey: .commitmentPrice).value
        )
    }

    /// Encodes all parts, the prices as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(plan, forKey: .plan)
        try container.encode(DecimalText(price), forKey: .price)
        try container.encode(DecimalText(commitmentPrice), forKey: .commitmentPrice)
    }
}

extension StoreProduct.HostedContent {
    private enum CodingKeys: String, CodingKey { case version, lengths }

    /// Decodes a description of files, whose sizes are text, or numbers as the first version wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            version: try container.decode(String.self, forKey: .version),
            lengths: try container.decode([LongText].self, forKey: .lengths).map(\.value)
        )
    }

    /// Encodes all parts, the sizes as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(lengths.map(LongText.init), forKey: .lengths)
    }
}
