import StoreCore
import StoreKit
import Testing

@Suite struct StorefrontTests {
    @Test func `The current storefront is the store's`() async throws {
        let store = HistoryStore(storefront: StoreStorefront(countryCode: "JPN", identifier: "143462"))
        let storefront = try #require(await store.run { await Storefront.current })
        #expect(storefront.countryCode == "JPN" && storefront.id == "143462")
    }

    @Test func `A store that does not tell has no current storefront`() async {
        #expect(await HistoryStore().run { await Storefront.current } == nil)
    }

    @Test(arguments: ["USA": "USD", "DEU": "EUR", "JPN": "JPY", "CHE": "CHF", "QQQ": nil])
    func `A storefront has the currency of its country, if any`(country: String, currency: String?) async throws {
        let store = HistoryStore(storefront: StoreStorefront(countryCode: country, identifier: "1"))
        let storefront = try #require(await store.run { await Storefront.current })
        #expect(storefront.currency == currency.map { Locale.Currency($0) })
    }
}
