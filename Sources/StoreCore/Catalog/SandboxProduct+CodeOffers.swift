import Foundation

extension SandboxProduct {
    /// An offer of a product that does not renew: one purchase, for less or for nothing.
    ///
    /// A user redeems it with a code.
    package struct OneTimeCodeOffer: Hashable, Codable, Sendable {
        /// The offer's reference name, which is the code that a user enters.
        ///
        /// Never empty.
        package var identifier: String
        /// The price of one item, in the product's currency; 0 for a free purchase.
        package var price: Decimal
        /// The customers who are eligible for the offer.
        ///
        /// A new customer has never paid for anything in the app. An existing one has paid within the last 30 days of
        /// the store's clock, and an expired one only before that.
        package var eligibility: Customers

        /// Creates an offer that is redeemed with a code.
        package init(identifier: String, price: Decimal, eligibility: Customers = .all) {
            self.identifier = identifier
            self.price = price
            self.eligibility = eligibility
        }
    }

    /// The offers of a product that does not renew, which users redeem with codes.
    ///
    /// Of several offers with the same identifier, the first is used. An auto-renewable subscription has its offers in
    /// ``Subscription/offerCodes``.
    package var offerCodes: [OneTimeCodeOffer] {
        get { oneTimeCodeOffers ?? [] }
        set { oneTimeCodeOffers = newValue.isEmpty ? nil : newValue }
    }

    /// Returns the product with one more offer that users redeem with a code.
    ///
    /// The eligibility depends on the account's payments for anything in the app, by the store's clock. A new customer
    /// has never paid, an existing one has paid within the last 30 days, and an expired one has paid only before that.
    /// An account may redeem the offer once.
    ///
    /// - Parameters:
    ///   - code: the code, which must not be empty.
    ///   - price: the exact price of the purchase, as in `"0.49"`, or `"0"` for a free one. Anything but digits and a
    ///     point stops the process.
    ///   - eligibility: the customers who are eligible for the offer.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the product. An auto-renewable or a free subscription becomes invalid: registering it throws a
    ///   ``CatalogError``.
    public func redeemable(
        with code: String,
        price: String,
        eligibility: Customers = .all,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        let thing = "the offer \"\(code)\" of the product \"\(identifier)\""
        let price = ExactPrice.written(price, for: thing, in: identifier, file: file, line: line)
        return redeemable(with: code, decimalPrice: price, eligibility: eligibility)
    }

    /// Returns the product with one more offer at a computed price.
    ///
    /// Otherwise this is ``redeemable(with:price:eligibility:file:line:)``.
    ///
    /// - Returns: the product. A negative price makes it invalid: registering it throws a ``CatalogError``.
    package func redeemable(
        with code: String,
        decimalPrice price: Decimal,
        eligibility: Customers = .all
    ) -> SandboxProduct {
        var product = self
        product.offerCodes.append(OneTimeCodeOffer(identifier: code, price: price, eligibility: eligibility))
        return product
    }

    /// Returns the first offer behind a code, of a product that does not renew; nil for none.
    func oneTimeCodeOffer(_ code: String) -> OneTimeCodeOffer? {
        oneTimeCodeOffers?.first { $0.identifier.isExactly(code) }
    }

    /// The fault in the offers of a product that does not renew; nil if there is none.
    ///
    /// It is the end of a sentence about the product.
    var codeOfferFault: String? {
        guard let offers = oneTimeCodeOffers else { return nil }
        switch kind {
        case .consumable, .nonConsumable, .nonRenewing: break
        case .autoRenewable, .subscriptionSuite, .subscriptionBundle:
            return "renews by itself and has offers that are not its subscription's"
        case .freeSubscription: return "is a free subscription and has offers"
        }
        if offers.contains(where: \.identifier.isEmpty) { return "has an offer without an identifier" }
        return offers.lazy.compactMap { offer in
            Self.rule(brokenBy: offer.price).map {
                "has the offer \"\(offer.identifier)\" that costs \(offer.price): \($0)"
            }
        }.first
    }
}
