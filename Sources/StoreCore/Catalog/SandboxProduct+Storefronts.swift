import Foundation

/// The countries in which a product is sold, and its prices in single countries.
struct StorefrontTerms: Hashable, Codable, Sendable {
    /// The prices in countries with a price of their own, by country code.
    var prices: [String: Decimal] = [:]
    /// The countries in which the product is not sold.
    var excluded: Set<String> = []
    /// The only countries in which the product is sold; nil for all countries except ``excluded`` ones.
    var only: Set<String>?

    func isSold(in country: String) -> Bool { only?.contains(country) ?? true && !excluded.contains(country) }

    /// The alphabetically first of the country codes that does not exist; nil if all exist.
    fileprivate var unknownCountry: String? {
        let codes = excluded.union(only ?? []).union(prices.keys)
        return codes.sorted().first { Storefronts.storefront($0) == nil }
    }
}

extension SandboxProduct {
    /// Returns the product with another price in one country, in that country's currency.
    ///
    /// The other countries keep ``price``, whose number is not converted.
    ///
    /// - Parameters:
    ///   - price: the exact price, as in `"0.99"`. Anything but digits and a point stops the process.
    ///   - country: an ISO 3166-1 alpha-3 code. An unknown one makes the product invalid, see ``CatalogError``.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the product.
    public func priced(
        _ price: String,
        in country: String,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        let thing = "the product \"\(identifier)\" in \(country)"
        let price = ExactPrice.written(price, for: thing, in: identifier, file: file, line: line)
        return priced(decimalPrice: price, in: country)
    }

    /// Returns the product with a computed price in one country; see ``priced(_:in:file:line:)``.
    ///
    /// - Returns: the product. A negative price makes it invalid: registering it throws a ``CatalogError``.
    package func priced(decimalPrice price: Decimal, in country: String) -> SandboxProduct {
        changingTerms { $0.prices[country] = price }
    }

    /// Returns the product, excluded from sale in some countries.
    ///
    /// In these countries, an order fails with `storeProductNotAvailable`, and a product request reports the identifier
    /// as invalid.
    ///
    /// - Parameter countries: ISO 3166-1 alpha-3 codes. An unknown one makes the product invalid: registering it throws
    ///   a ``CatalogError``.
    /// - Returns: the product.
    public func notSold(in countries: String...) -> SandboxProduct {
        changingTerms { $0.excluded.formUnion(countries) }
    }

    /// Returns the product, restricted to sale in some countries.
    ///
    /// A second call replaces the countries of the first. Countries that are excluded by ``notSold(in:)`` stay
    /// excluded.
    ///
    /// - Parameter countries: ISO 3166-1 alpha-3 codes. An unknown one makes the product invalid, see ``CatalogError``.
    /// - Returns: the product.
    public func soldOnly(in countries: String...) -> SandboxProduct { changingTerms { $0.only = Set(countries) } }

    /// Returns the price of one item in a country, in that country's currency.
    ///
    /// - Parameter country: an ISO 3166-1 alpha-3 code.
    /// - Returns: the country's own price, or else ``price``.
    public func price(in country: String) -> Decimal { storefrontTerms?.prices[country] ?? price }

    /// Returns whether the product is sold in a country.
    ///
    /// - Parameter country: an ISO 3166-1 alpha-3 code.
    /// - Returns: whether the product has the country, regardless of its availability in a store.
    public func isSold(in country: String) -> Bool { storefrontTerms?.isSold(in: country) ?? true }

    private func changingTerms(_ change: (inout StorefrontTerms) -> Void) -> SandboxProduct {
        var product = self
        var terms = storefrontTerms ?? StorefrontTerms()
        change(&terms)
        product.storefrontTerms = terms
        return product
    }

    /// The fault in the product's countries or prices, as the end of a sentence about it; nil if there is none.
    var storefrontFault: String? {
        guard let terms = storefrontTerms else { return nil }
        if let code = terms.unknownCountry {
            return "is to be sold, or not, in \"\(code)\", which is no country in ISO 3166-1 alpha-3, as USA is"
        }
        return terms.prices.sorted { $0.key < $1.key }.lazy.compactMap { country, price in
            Self.rule(brokenBy: price).map { "costs \(price) in \(country): \($0)" }
        }.first
    }
}
