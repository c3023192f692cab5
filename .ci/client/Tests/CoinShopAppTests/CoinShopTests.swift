import CoinShopApp
import Foundation
import StoreCore
import StoreKit
import Testing

private typealias ID = CoinShop.ProductIdentifier

/// Defaults that a test owns.
private final class MemoryRecords: ShopRecords {
    private var values: [String: Any] = [:]

    func dictionary(forKey key: String) -> [String: Any]? { values[key] as? [String: Any] }
    func set(_ value: Any?, forKey key: String) { values[key] = value }
}

/// The screen of the app, as a list of what it has shown.
private final class Screen: CoinShopDelegate {
    var shown: [String] = []
    var onDelivery: () -> Void = {}

    func coinShop(_ shop: CoinShop, didLoad products: [SKProduct], unknown: [String]) {
        shown.append("\(products.count) products, unknown: \(unknown.sorted())")
    }

    func coinShop(_ shop: CoinShop, didDeliver productIdentifier: String) {
        shown.append("delivered \(productIdentifier)")
        onDelivery()
    }

    func coinShop(_ shop: CoinShop, isWaitingFor productIdentifier: String) {
        shown.append("waiting for \(productIdentifier)")
    }

    func coinShop(_ shop: CoinShop, didFailWith error: any Error, for productIdentifier: String?) {
        let code = (error as? SKError).map { "\($0.code.rawValue)" } ?? "no code"
        shown.append("failed \(productIdentifier ?? "a request"): \(code)")
    }

    func coinShop(_ shop: CoinShop, didRevoke productIdentifiers: [String]) {
        shown.append("revoked \(productIdentifiers)")
    }

    func coinShopDidRestore(_ shop: CoinShop) { shown.append("restored") }
}

/// The App Store of one test.
private struct Town {
    let store: SandboxStore

    init() throws {
        store = try SandboxStore(products: [
            .consumable(ID.coins, price: "0.99"),
            .nonConsumable(ID.noAds, price: "2.99"),
            .autoRenewable(ID.pass, price: "1.99", period: .monthly, group: "pass"),
        ])
    }

    /// An app that has just been launched, as `application(_:didFinishLaunchingWithOptions:)` does it.
    func launch(_ records: MemoryRecords, _ screen: Screen) -> CoinShop {
        let shop = CoinShop(records: records)
        shop.delegate = screen
        shop.start()
        shop.loadProducts()
        screen.shown = []
        return shop
    }
}

@Suite struct CoinShopTests {
    @Test func `What is bought is credited by its quantity, and finished`() throws {
        let town = try Town()
        try town.store.setAvailability(.withdrawn, of: ID.noAds)
        StoreContext(backend: town.store, delivery: .inline).run {
            let screen = Screen()
            let shop = town.launch(MemoryRecords(), screen)
            shop.loadProducts()
            shop.buy(ID.coins, quantity: 3)
            shop.buy(ID.noAds)

            #expect(shop.coins == 300)
            #expect(shop.showsAds)
            #expect(
                screen.shown == [
                    "2 products, unknown: [\"no.ads\"]", "delivered coins.100",
                    "failed no.ads: \(SKError.Code.storeProductNotAvailable.rawValue)",
                ]
            )
            #expect(SKPaymentQueue.default().transactions.isEmpty)
        }
    }

    @Test func `A user who cancels sees no error, and one whose bank declines sees it`() throws {
        let town = try Town()
        try StoreContext(backend: town.store, delivery: .inline).run {
            let screen = Screen()
            let shop = town.launch(MemoryRecords(), screen)
            town.store.authorizer = .always(.cancel)
            shop.buy(ID.coins)
            #expect(screen.shown == [])

            town.store.authorizer = .always(.decline())
            shop.buy(ID.coins)
            #expect(screen.shown == ["failed coins.100: \(SKError.Code.unknown.rawValue)"])
            #expect(shop.coins == 0)
            let charged = try town.store.account.totalCharged
            #expect(charged == 0)
            #expect(SKPaymentQueue.default().transactions.isEmpty)
        }
    }

    @Test func `What a parent allows while the app is closed is delivered at its next launch`() throws {
        let town = try Town()
        let records = MemoryRecords()
        try town.store.account.setAsksToBuy(true)
        try StoreContext(backend: town.store, delivery: .inline).run {
            let screen = Screen()
            let shop = town.launch(records, screen)
            shop.buy(ID.noAds)
            #expect(screen.shown == ["waiting for no.ads"])
            #expect(shop.showsAds)
            shop.stop()

            _ = SKPaymentQueue.default().relaunch()
            let request = try #require(town.store.undecidedRequests.first)
            try town.store.approve(request)
            let nextScreen = Screen()
            let next = town.launch(records, nextScreen)
            #expect(!next.showsAds)
            #expect(SKPaymentQueue.default().transactions.isEmpty)
        }
    }

    @Test func `What is refunded is taken away, and comes back on no device`() throws {
        let town = try Town()
        let records = MemoryRecords()
        try StoreContext(backend: town.store, delivery: .inline).run {
            let screen = Screen()
            let shop = town.launch(records, screen)
            shop.buy(ID.coins)
            shop.buy(ID.noAds)
            let tablet = try town.store.addDevice("tablet", signedInTo: town.store.account)

            // Another device gets what was bought for good, and not the coins.
            StoreContext(backend: tablet, delivery: .inline).run {
                let tabletScreen = Screen()
                let onTablet = town.launch(MemoryRecords(), tabletScreen)
                onTablet.restore()
                #expect(tabletScreen.shown == ["delivered no.ads", "restored"])
                #expect(onTablet.coins == 0)
                onTablet.stop()
            }

            let purchase = try #require(
                try town.store.account.transactions.first { $0.productIdentifier == ID.noAds }
            )
            try town.store.refund(purchase.id)
            #expect(shop.showsAds)
            #expect(shop.coins == 100)

            shop.restore()
            #expect(
                screen.shown == ["delivered coins.100", "delivered no.ads", "revoked [\"no.ads\"]", "restored"]
            )
            #expect(shop.showsAds)
        }
    }

    @Test func `Each period of the pass brings its coins once, until it ends`() throws {
        let town = try Town()
        let records = MemoryRecords()
        let screen = Screen()
        try StoreContext(backend: town.store, delivery: .inline).run {
            let shop = town.launch(records, screen)
            shop.buy(ID.pass)
            #expect(shop.coins == 50)
            town.store.advance(by: .monthly)
            #expect(shop.coins == 100)

            // Three months without the app, and a user who then restores what is credited already.
            shop.stop()
            town.store.advance(by: .months(3))
            _ = SKPaymentQueue.default().relaunch()
            let next = town.launch(records, screen)
            #expect(next.coins == 250)
            next.restore()
            #expect(next.coins == 250)

            try town.store.account.setAutoRenew(false, inGroup: "pass")
            town.store.advance(by: .yearly)
            #expect(next.coins == 250)
        }
    }

    @Test func `Coins whose finish was lost are credited once`() throws {
        let town = try Town()
        let records = MemoryRecords()
        try StoreContext(backend: town.store, delivery: .inline).run {
            let screen = Screen()
            let shop = town.launch(records, screen)
            screen.onDelivery = { town.store.isReachable = false }
            shop.buy(ID.coins, quantity: 2)
            #expect(shop.coins == 200)
            #expect(screen.shown == ["delivered coins.100"])
            let unfinished = try town.store.device.unfinished
            #expect(unfinished.count == 1)
            shop.stop()
        }

        // The app is deleted, and with it what the queue was about to say; the coins are kept in the cloud.
        town.store.isReachable = true
        try StoreContext(backend: town.store, delivery: .inline).run {
            let screen = Screen()
            let shop = town.launch(records, screen)
            #expect(shop.coins == 200)
            let unfinished = try town.store.device.unfinished
            #expect(unfinished.isEmpty)
        }
    }
}
