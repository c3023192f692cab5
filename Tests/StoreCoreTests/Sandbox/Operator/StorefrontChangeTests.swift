import Dispatch
import Foundation
import StoreCore
import Testing

/// The store's operator sells for another country.
@Suite struct StorefrontChangeTests {
    private static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99", title: "Sword").priced("1.09", in: "DEU"),
        .consumable("stein", price: "5.00").soldOnly(in: "DEU", "AUT"),
        .consumable("cheese", price: "2.00").notSold(in: "DEU"),
        .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "metals").priced("10.99", in: "DEU"),
    ]

    @Test func `B168, B169, B205: Observers hear of it, and the queue reports the new country`() throws {
        let (market, app) = try Market.withApp()
        #expect(app.queue.storefront == SKStorefront(countryCode: "USA", identifier: "143441"))
        try market.store.settle { try market.store.setStorefront("DEU") }
        #expect(app.recorder.callbacks == [[.storefrontChanged]])
        #expect(app.queue.storefront == SKStorefront(countryCode: "DEU", identifier: "143443"))
        try market.store.settle { try market.store.setStorefront("DEU") }
        #expect(app.recorder.callbacks.count == 1)
        #expect(throws: SandboxError(.unknownStorefront("DE"))) { try market.store.setStorefront("DE") }
    }

    @Test func `B83, B131, B205: Prices, currency and texts follow`() throws {
        var sword = Self.products[0]
        sword.localizations = [.init(locale: "en_US", title: "Sword"), .init(locale: "de_DE", title: "Schwert")]
        let store = try SandboxStore(products: [sword], locale: "fr_FR")
        func seen() throws -> [String] {
            let product = try #require(try store.products(["sword"])?.get().products.first)
            return [product.localizedTitle, "\(product.price)", product.priceLocaleIdentifier]
        }
        #expect(try seen() == ["Sword", "0.99", "en_US@currency=USD"])
        try store.setStorefront("DEU")
        #expect(try seen() == ["Schwert", "1.09", "de_DE@currency=EUR"])
        try store.setStorefront("USA")
        #expect(try seen() == ["Sword", "0.99", "en_US@currency=USD"])
    }

    @Test func `B205: What is bought after it costs what it costs there, renewals too`() throws {
        let market = try Market(Self.products)
        let app = App(on: market.store, buying: "sword", "gold")
        try market.store.setStorefront("DEU")
        app.buy("sword", quantity: 2)
        #expect(try market.at("2025-02-01T00:00:00Z").store.account.totalCharged == Decimal(string: "24.15"))
    }

    @Test func `B80: What is not sold there is invalid to a look-up, and an order for it fails with its code`() throws {
        let market = try Market(Self.products)
        let app = App(on: market.store)
        #expect(try market.store.products(["stein"])?.get().invalidIdentifiers == ["stein"])
        #expect(market.store.sells("stein") == false)
        #expect(market.store.reasonForInvalidity(of: "stein")?.contains("USA") == true)
        app.buy("stein")
        #expect(app.recorder.transactions.last?.trouble == .storeKit(.storeProductNotAvailable))
        try market.store.setStorefront("DEU")
        app.buy("stein", "cheese")
        #expect(app.received == [.updated("stein", .purchased)])
        #expect(app.recorder.transactions.last?.trouble == .storeKit(.storeProductNotAvailable))
        #expect(app.recorder.transactions.last?.reason?.contains("cheese") == true)
    }

    /// A queue on which a sword and a shield were ordered before the store moved, and what was heard since.
    private func moved(_ world: World, _ deputy: Deputy) async throws -> (SKPaymentQueue, Recorder) {
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer)
        queue.delegate = deputy
        for product in ["sword", "shield"] { await queue.buy(product) }
        observer.clear()
        try world.store.setStorefront("DEU")
        await queue.settle()
        return (queue, observer)
    }

    @Test(arguments: Conformer.allCases)
    func `B170: A delegate is asked about each open purchase; yes changes nothing`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.askToBuy))
        let deputy = Deputy()
        let (queue, observer) = try await moved(world, deputy)
        #expect(deputy.asked == ["sword in DEU", "shield in DEU"] && observer.callbacks == [[.storefrontChanged]])
        await world.advance(by: 5)
        #expect(world.store.undecidedRequests.count == 2)
        for request in world.store.undecidedRequests { try world.store.decide(request.transaction, as: .approve) }
        await queue.settle()
        #expect(observer.history(of: "sword") == [.updated("sword", .purchased), .removed("sword")])
        #expect(observer.history(of: "shield") == [.updated("shield", .purchased), .removed("shield")])
    }

    @Test(arguments: Conformer.allCases)
    func `B171: If the delegate says no, it fails with product not available`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let deputy = Deputy(mayContinue: { $0.payment.productIdentifier != "sword" })
        let (queue, observer) = try await moved(world, deputy)
        defer { withExtendedLifetime(queue) {} }
        #expect(observer.callbacks == [[.storefrontChanged], [.updated("sword", .failed)], [.removed("sword")]])
        #expect(observer.transactions.first?.trouble == .storeKit(.storeProductNotAvailable))
        #expect(observer.transactions.first?.reason?.contains("sword") == true)
        #expect(world.store.undecidedRequests.map(\.productIdentifier) == ["shield"])
        await world.advance(by: 5)
        #expect(world.store.undecidedRequests.map(\.productIdentifier) == ["shield"])
    }

    @Test func `B170, B172: Without a delegate, or once it is gone, purchases go on`() throws {
        let market = try Market(authorizer: .always(.later))
        let app = App(on: market.store, buying: "sword")
        try market.store.setStorefront("DEU")
        #expect(market.after(2).store.undecidedRequests.count == 1)
        do {
            let deputy = Deputy(mayContinue: { _ in false })
            app.queue.delegate = deputy
        }
        #expect(app.queue.delegate == nil)
        try market.store.setStorefront("USA")
        #expect(market.after(2).store.undecidedRequests.count == 1)
    }

    @Test func `B171: No answer within a second of the store's clock counts as no`() throws {
        let market = try Market(authorizer: .always(.later))
        let silent = UpdateRecorder()
        market.store.connect(silent, after: nil)
        #expect(market.store.submit(silent.commands(.buy("sword"))) == .taken)
        try market.store.setStorefront("DEU")
        market.clock.advance(by: 0.9)
        #expect(silent.transactions == ["1 purchasing"])
        // Another change begins the second anew.
        try market.store.setStorefront("FRA")
        market.clock.advance(by: 0.9)
        #expect(silent.transactions == ["1 purchasing"])
        market.clock.advance(by: 0.1)
        #expect(silent.transactions == ["1 purchasing", "1 failed"] && market.clock.nextDeadline == nil)
    }

    @Test func `B171: A delegate that blocks holds up neither the store nor, once it returns, the queue`() throws {
        let clock = ImpatientClock()
        let store = try SandboxStore(products: Market.products, clock: clock, authorizer: .always(.later))
        let hasBegun = DispatchSemaphore(value: 0)
        let mayReturn = DispatchSemaphore(value: 0)
        let deputy = Deputy(mayContinue: { _ in
            hasBegun.signal()
            mayReturn.wait()
            return true
        })
        let observer = Recorder()
        let delivery = StoreDelivery.queue(DispatchQueue(label: "callbacks"))
        let queue = SKPaymentQueue(backend: store, delivery: delivery, log: .silent)
        queue.delegate = deputy
        queue.add(observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        queue.settle()
        try store.setStorefront("DEU")
        hasBegun.wait()
        clock.ring(after: 1)
        #expect(store.undecidedRequests.isEmpty)
        let other = UpdateRecorder()
        store.connect(other, after: nil)
        #expect(other.transactions == ["1 failed"])
        mayReturn.signal()
        queue.settle()
        let heard: [Heard] = [.updated("sword", .purchasing), .storefrontChanged, .updated("sword", .failed)]
        #expect(observer.callbacks == heard.map { [$0] })
        #expect(observer.transactions.first?.trouble == .storeKit(.storeProductNotAvailable))
    }

    @Test func `B171: An answer in time calls the clock off`() throws {
        let clock = ImpatientClock()
        let store = try SandboxStore(products: Market.products, clock: clock, authorizer: .always(.later))
        let app = App(on: store)
        app.buy("sword")
        let timers = clock.timers
        try store.setStorefront("DEU")
        #expect(clock.timers == timers && store.undecidedRequests.count == 1)
    }

    @Test func `An app that is not running is not asked; what is not sold there fails when it is approved`() throws {
        let market = try Market(Self.products, authorizer: .always(.askToBuy))
        let journal = MemoryJournal()
        App(on: market.store, journal: journal).buy("sword", "cheese")
        try market.store.setStorefront("DEU")
        #expect(market.after(5).store.undecidedRequests.map(\.total) == [Decimal(string: "1.09"), 2])
        for request in market.store.undecidedRequests { try market.store.decide(request.transaction, as: .approve) }
        let app = App(on: market.store, journal: journal)
        let decided: [Heard] = [.updated("sword", .purchased), .updated("cheese", .failed)]
        #expect(app.recorder.callbacks == [decided, [.removed("sword"), .removed("cheese")]])
        #expect(app.recorder.transactions.last?.trouble == .storeKit(.storeProductNotAvailable))
        #expect(try market.store.account.totalCharged == Decimal(string: "1.09"))
    }

    @Test func `The ledger keeps the country, unless a store is opened for another`() throws {
        let ledger = MemoryLedger()
        try SandboxStore(products: Self.products, ledger: ledger).setStorefront("DEU")
        #expect(try SandboxStore(ledger: ledger).storefront?.countryCode == "DEU")
        #expect(try SandboxStore(ledger: ledger, storefront: "FRA").storefront?.countryCode == "FRA")
        #expect(try SandboxStore(ledger: ledger).storefront?.countryCode == "FRA")
        #expect(try SandboxStore(ledger: ledger).products(["cheese", "stein"])?.get().invalidIdentifiers == ["stein"])
    }

    @Test func `A product for a country that nobody knows, or at a price that is none, is refused`() throws {
        let bad: [(SandboxProduct, String)] = [
            (.consumable("a", price: "1").priced("1", in: "DE"), "\"DE\""),
            (.consumable("a", price: "1").notSold(in: "QQQ"), "\"QQQ\""),
            (.consumable("a", price: "1").soldOnly(in: "usa"), "\"usa\""),
            (.consumable("a", price: "1").priced(decimalPrice: -1, in: "DEU"), "-1 in DEU"),
        ]
        for (product, word) in bad {
            let error = #expect(throws: CatalogError.self) { try SandboxStore(products: [product]) }
            #expect(error?.reason.contains(word) == true)
        }
        #expect(Self.products[0].price(in: "DEU") == Decimal(string: "1.09"))
        #expect(Self.products[0].price(in: "FRA") == Decimal(string: "0.99"))
        #expect(!Self.products[1].isSold(in: "USA") && Self.products[1].isSold(in: "AUT"))
    }
}
