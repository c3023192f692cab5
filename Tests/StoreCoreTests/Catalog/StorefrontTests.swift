import Foundation
import Testing

@testable import StoreCore

@Suite struct StorefrontTests {
    private func formatted(_ price: String, in country: String) throws -> String {
        var catalog = try Catalog([.consumable("a", price: price)])
        let product = catalog.describe(0, for: "en_US", in: Storefronts.storefront(country))
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = Locale(identifier: product.priceLocaleIdentifier)
        return try #require(formatter.string(from: NSDecimalNumber(decimal: product.price)))
    }

    @Test(arguments: [
        ("USA", "0.99", "$0.99"), ("DEU", "0.99", "0,99\u{A0}€"), ("JPN", "160", "¥160"), ("GBR", "0.99", "£0.99"),
        ("IND", "99", "₹99.00"), ("BRA", "4.9", "R$\u{A0}4,90"), ("USA", "1234.5", "$1,234.50"),
    ])
    func `B83: Currency style in the price's locale gives what the country's users read`(
        country: String,
        price: String,
        text: String
    ) throws {
        // Japanese locales write the full-width yen sign in some releases of their data.
        #expect(try formatted(price, in: country).replacing("\u{FFE5}", with: "¥") == text)
    }

    @Test(arguments: [
        ("USA", "143441"), ("FRA", "143442"), ("DEU", "143443"), ("GBR", "143444"), ("ITA", "143450"),
        ("PRT", "143453"), ("ESP", "143454"), ("CAN", "143455"), ("AUS", "143460"), ("JPN", "143462"),
    ])
    func `B168: A storefront has an alpha-3 code and the identifier that Apple gives it`(
        code: String,
        identifier: String
    ) {
        #expect(Storefronts.storefront(code) == StoreStorefront(countryCode: code, identifier: identifier))
    }

    @Test func `A country whose identifier is not known has one that looks made up`() {
        #expect(Storefronts.storefront("ATA")?.identifier == "sandbox-ATA")
    }

    @Test(arguments: ["US", "usa", "XYZ", "", "USA "])
    func `A code that is no country's has no storefront`(code: String) {
        #expect(Storefronts.storefront(code) == nil)
    }

    @Test func `Every country of ISO 3166-1 has a storefront, and no two share an identifier`() throws {
        let countries = try Storefronts.codes.map { try #require(Storefronts.country($0)) }
        let regions = countries.map { $0.locale.suffix(2) }
        #expect(countries.count == 250)  // 249 and Kosovo
        #expect(Set(regions).count == countries.count)
        #expect(Set(countries.map(\.storefront.identifier)).count == countries.count)
        #expect(Storefronts.codes.allSatisfy { $0.count == 3 })
        let known = Set(Locale.Region.isoRegions.map(\.identifier))
        #expect(regions.filter { !known.contains(String($0)) } == [])
    }

    @Test func `Each country's locale and currency are ones that Foundation knows`() throws {
        let currencies = Set(Locale.Currency.isoCurrencies.map(\.identifier))
        for code in Storefronts.codes {
            let country = try #require(Storefronts.country(code))
            let locale = Locale(identifier: country.priceLocale)
            #expect(locale.currency?.identifier == country.currency, "\(code)")
            #expect(locale.region?.identifier == String(country.locale.suffix(2)), "\(code)")
            // Younger than some releases of the data.
            if !["XCG", "ZWG", "SLE"].contains(country.currency) {
                #expect(currencies.contains(country.currency), "\(code)")
            }
        }
    }

    @Test(arguments: ["USA", "DEU", "JPN", "CHE", "BRA", "POL", "KOR", "ZAF", "NZL", "MEX", "TUR", "SWE", "TWN", "ARE"])
    func `Currencies agree with Foundation's where they have not changed for long`(code: String) throws {
        let country = try #require(Storefronts.country(code))
        #expect(Locale(identifier: country.locale).currency?.identifier == country.currency)
    }

    @Test func `A storefront that nobody knows is priced like the USA`() throws {
        var catalog = try Catalog([.consumable("a", price: "1")])
        let elsewhere = StoreStorefront(countryCode: "MARS", identifier: "1")
        #expect(catalog.describe(0, for: "en_US", in: elsewhere).priceLocaleIdentifier == "en_US@currency=USD")
        #expect(catalog.describe(0, for: "en_US", in: nil).priceLocaleIdentifier == "en_US@currency=USD")
    }
}
