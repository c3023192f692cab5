// The offers that others wrap, made in one step; a computed price or a billing plan takes the initializers.
extension SandboxProduct.CodeOffer {
    /// Creates an offer behind a code, with a free trial.
    ///
    /// - Parameters:
    ///   - period: the length of the trial.
    ///   - identifier: the code, which is the offer's reference name.
    ///   - eligibility: the customers who are eligible for the offer.
    ///   - isStackable: whether the offer follows an introductory offer, instead of replacing it.
    /// - Returns: the offer.
    public static func freeTrial(
        _ period: StoreProduct.Period,
        identifier: String,
        eligibility: SandboxProduct.Customers = .all,
        isStackable: Bool = false
    ) -> Self {
        Self(.freeTrial(period, identifier: identifier), eligibility: eligibility, isStackable: isStackable)
    }

    /// Creates an offer behind a code, with a lower price for each of the first periods.
    ///
    /// - Parameters:
    ///   - price: the price of each period, as in `"0.99"`. Anything but digits and a point stops the process.
    ///   - period: the subscription's period.
    ///   - count: the number of periods.
    ///   - identifier: the code, which is the offer's reference name.
    ///   - eligibility: the customers who are eligible for the offer.
    ///   - isStackable: whether the offer follows an introductory offer, instead of replacing it.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the offer.
    public static func payAsYouGo(
        price: String,
        every period: StoreProduct.Period,
        times count: Int = 1,
        identifier: String,
        eligibility: SandboxProduct.Customers = .all,
        isStackable: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        Self(
            .payAsYouGo(price: price, every: period, times: count, identifier: identifier, file: file, line: line),
            eligibility: eligibility,
            isStackable: isStackable
        )
    }

    /// Creates an offer behind a code, with one price for its whole length, paid when it begins.
    ///
    /// - Parameters:
    ///   - price: the total price, as in `"8.99"`. Anything but digits and a point stops the process.
    ///   - period: the offer's whole length.
    ///   - identifier: the code, which is the offer's reference name.
    ///   - eligibility: the customers who are eligible for the offer.
    ///   - isStackable: whether the offer follows an introductory offer, instead of replacing it.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the offer.
    public static func payUpFront(
        price: String,
        for period: StoreProduct.Period,
        identifier: String,
        eligibility: SandboxProduct.Customers = .all,
        isStackable: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        Self(
            .payUpFront(price: price, for: period, identifier: identifier, file: file, line: line),
            eligibility: eligibility,
            isStackable: isStackable
        )
    }
}

extension SandboxProduct.WinBackOffer {
    /// Creates an offer for lapsed subscribers, with a free trial.
    ///
    /// - Parameters:
    ///   - period: the length of the trial.
    ///   - identifier: the offer's identifier.
    ///   - isEligible: whether users of the sandbox are eligible once their subscription has lapsed.
    /// - Returns: the offer.
    public static func freeTrial(
        _ period: StoreProduct.Period,
        identifier: String,
        isEligible: Bool = true
    ) -> Self {
        Self(.freeTrial(period, identifier: identifier), isEligible: isEligible)
    }

    /// Creates an offer for lapsed subscribers, with a lower price for each of the first periods.
    ///
    /// - Parameters:
    ///   - price: the price of each period, as in `"0.99"`. Anything but digits and a point stops the process.
    ///   - period: the subscription's period.
    ///   - count: the number of periods.
    ///   - identifier: the offer's identifier.
    ///   - isEligible: whether users of the sandbox are eligible once their subscription has lapsed.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the offer.
    public static func payAsYouGo(
        price: String,
        every period: StoreProduct.Period,
        times count: Int = 1,
        identifier: String,
        isEligible: Bool = true,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        Self(
            .payAsYouGo(price: price, every: period, times: count, identifier: identifier, file: file, line: line),
            isEligible: isEligible
        )
    }

    /// Creates an offer for lapsed subscribers, with one price for its whole length, paid when it begins.
    ///
    /// - Parameters:
    ///   - price: the total price, as in `"8.99"`. Anything but digits and a point stops the process.
    ///   - period: the offer's whole length.
    ///   - identifier: the offer's identifier.
    ///   - isEligible: whether users of the sandbox are eligible once their subscription has lapsed.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the offer.
    public static func payUpFront(
        price: String,
        for period: StoreProduct.Period,
        identifier: String,
        isEligible: Bool = true,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        Self(
            .payUpFront(price: price, for: period, identifier: identifier, file: file, line: line),
            isEligible: isEligible
        )
    }
}
