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

    @Test func `A change of the country is posted as a notification, in the queue's context`() throws {
        let (shop, other) = (try Shop(.inline), try Shop(.inline))
        let observers = (Bystander(), Bystander())
        shop.queue.add(observers.0)
        other.queue.add(observers.1)
        let countries = Locked<[String]>([])
        let token = NotificationCenter.default.addObserver(
            forName: .SKStorefrontCountryCodeDidChange,
            object: shop.queue,
            queue: nil
        ) { _ in
            let country = SKPaymentQueue.default().storefront?.countryCode
            countries.withLock { $0.append(country ?? "unknown") }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        for country in ["DEU", "DEU", "FRA"] {
            try shop.store.setStorefront(country)
            try other.store.setStorefront("JPN")
        }
        #expect(countries.withLock { $0 } == ["DEU", "FRA"])
        shop.queue.remove(observers.0)
        try shop.store.setStorefront("USA")
        #expect(countries.withLock { $0.count } == 2)
        withExtendedLifetime(observers) {}
    }
}

/// An observer that does nothing.
private final class Bystander: NSObject, SKPaymentTransactionObserver {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
}
