import Foundation

/// The countries in which a product is sold, and its prices there.
struct StorefrontTerms: Hashable, Codable, Sendable {
    /// The prices of the countries in which it has one of its own, by their codes.
    var prices: [String: Decimal] = [:]
    /// The countries in which it is not sold.
    var excluded: Set<String> = []
    /// The only countries in which it is sold; nil for all but ``excluded``.
    var only: Set<String>?

    func isSold(in country: String) -> Bool { only?.contains(country) ?? true && !excluded.contains(country) }

    /// The first code that no country has, in alphabetical order.
    fileprivate var unknownCountry: String? {
        let codes = excluded.union(only ?? []).union(prices.keys)
        return codes.sorted().first { Storefronts.storefront($0) == nil }
    }
}

extension SandboxProduct {
    /// Returns the same product with another price in one country, in that country's currency.
    ///
    /// - Parameters:
    ///   - price: exact, as in `"0.99"`. Anything but digits and a point stops the process.
    ///   - country: ISO 3166-1 alpha-3.
    /// - Returns: the product, which no store sells if there is no such country.
    public func priced(_ price: String, in country: String) -> SandboxProduct {
        let thing = "the product \"\(identifier)\" in \(country)"
        return priced(decimalPrice: ExactPrice.written(price, for: thing, in: identifier), in: country)
    }

    /// Returns the same product with a computed price in one country.
    ///
    /// - Returns: the product, which no store sells at a negative price.
    public func priced(decimalPrice price: Decimal, in country: String) -> SandboxProduct {
        changingTerms { $0.prices[country] = price }
    }

    /// Returns the same product, not sold in some countries.
    ///
    /// An order there fails with `storeProductNotAvailable`, and a product request finds it invalid.
    ///
    /// - Parameter countries: ISO 3166-1 alpha-3.
    /// - Returns: the product, which no store sells if there is no such country.
    public func notSold(in countries: String...) -> SandboxProduct {
        changingTerms { $0.excluded.formUnion(countries) }
    }

    /// Returns the same product, sold in some countries only.
    ///
    /// - Parameter countries: ISO 3166-1 alpha-3.
    /// - Returns: the product, which no store sells if there is no such country.
    public func soldOnly(in countries: String...) -> SandboxProduct {
        changingTerms { $0.only = Set(countries) }
    }

    /// Returns the price of one in a country, in that country's currency.
    public func price(in country: String) -> Decimal { storefrontTerms?.prices[country] ?? price }

    /// Whether it is sold in a country.
    public func isSold(in country: String) -> Bool { storefrontTerms?.isSold(in: country) ?? true }

    private func changingTerms(_ change: (inout StorefrontTerms) -> Void) -> SandboxProduct {
        var product = self
        var terms = storefrontTerms ?? StorefrontTerms()
        change(&terms)
        product.storefrontTerms = terms
        return product
    }

    /// The fault in its countries or prices, as the rest of a sentence that begins with its name.
    var storefrontFault: String? {
        guard let terms = storefrontTerms else { return nil }
        if let code = terms.unknownCountry { return "is to be sold, or not, in \"\(code)\", which is no country" }
        return terms.prices.sorted { $0.key < $1.key }.lazy.compactMap { country, price in
            Self.rule(brokenBy: price).map { "costs \(price) in \(country): \($0)" }
        }.first
    }
}
