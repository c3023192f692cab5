import Foundation
import StoreCore
import Testing

/// A user begins a purchase on the store's own page.
@Suite struct PromotedPurchaseTests {
    /// An app that says yes or no to what is begun outside it, and keeps the payment.
    private final class PromotedApp {
        let recorder: Recorder
        let queue: SKPaymentQueue
        let payments: Locked<[SKPayment]>

        init(on backend: any StoreBackend, accepts: Bool) {
            let payments = Locked<[SKPayment]>([])
            recorder = Recorder(
                onUpdate: { queue, transactions in
                    for transaction in transactions where transaction.isDecided { queue.finishTransaction(transaction) }
                },
                onPromotion: { payment, _ in
                    payments.withLock { $0.append(payment) }
                    return accepts
                }
            )
            self.payments = payments
            queue = SKPaymentQueue(backend: backend, delivery: .inline, log: .silent)
            queue.add(recorder)
            queue.settle()
        }
    }

    private let market: Market

    init() throws { market = try Market() }

    @Test func `B173: Accepted by the observer, it goes on at once as an ordinary payment`() throws {
        let app = PromotedApp(on: market.store, accepts: true)
        try market.store.settle { try market.store.device.promote("sword") }
        #expect(app.recorder.callbacks == [[.promoted("sword")]] + calls(of: "sword", .purchasing, .purchased))
        #expect(try market.store.account.totalCharged == Decimal(string: "0.99"))
    }

    @Test func `B173: Put off by the observer it costs nothing, and the same payment can be added later`() throws {
        let app = PromotedApp(on: market.store, accepts: false)
        try market.store.settle { try market.store.device.promote("full.game") }
        #expect(app.recorder.callbacks == [[.promoted("full.game")]] && app.queue.transactions.isEmpty)
        #expect(try market.store.account.totalCharged == 0)
        app.queue.add(try #require(app.payments.withLock { $0.first }))
        app.queue.settle()
        #expect(Array(app.recorder.callbacks.dropFirst()) == calls(of: "full.game", .purchasing, .purchased))
    }

    @Test func `B173: The product comes in the device's language`() throws {
        let market = try Market([.consumable("sword", price: "0.99", title: "Sword")])
        let seen = Locked<[String]>([])
        let recorder = Recorder(onPromotion: { payment, product in
            seen.withLock { $0 = [payment.productIdentifier, product.productIdentifier, product.localizedTitle] }
            return false
        })
        let queue = SKPaymentQueue.observed(by: recorder, on: market.store)
        try market.store.device.promote("sword")
        queue.settle()
        #expect(seen.withLock { $0 } == ["sword", "sword", "Sword"])
    }

    @Test func `B173: An app that is not running is offered it at its next launch, once, by any store`() throws {
        let market = try Market.reopened { market in
            try market.store.account.buy("shield")
            try market.store.device.promote("sword")
        }
        let heard = PromotedApp(on: market.store, accepts: false).recorder.callbacks
        #expect(heard == [[.updated("shield", .purchased)], [.promoted("sword")], [.removed("shield")]])
        #expect(PromotedApp(on: market.store, accepts: false).recorder.callbacks == [])
        #expect(PromotedApp(on: try Market(ledger: market.ledger).store, accepts: false).recorder.callbacks == [])
    }

    @Test func `B173: It is offered on the device where it was begun, and on no other`() throws {
        let tablet = try market.store.addDevice("tablet", signedInTo: market.store.account)
        let (here, there) = (PromotedApp(on: market.store, accepts: true), PromotedApp(on: tablet, accepts: true))
        try market.store.settle { try tablet.promote("sword") }
        #expect(here.recorder.callbacks == [] && there.recorder.history.first == .promoted("sword"))
        #expect(try market.store.account.totalCharged == Decimal(string: "0.99"))
    }

    @Test func `B174: The app's order and visibility hold on its device; a hidden one cannot be begun`() async throws {
        let products = ["sword", "shield", "spear"].map { SandboxProduct.consumable($0, price: "0.99") }
        let store = try SandboxStore(products: products)
        let tablet = try store.addDevice("tablet", signedInTo: store.account)
        let context = StoreContext(backend: tablet, delivery: .inline, log: .silent)
        let controller = SKProductStorePromotionController()
        let spear = SKProduct(productIdentifier: "spear")
        let shield = SKProduct(productIdentifier: "shield")
        try await context.run {
            try await controller.update(promotionOrder: [spear, SKProduct(productIdentifier: "swrod")])
            try await controller.update(promotionVisibility: .hide, for: shield)
            #expect(try await controller.promotionOrder().map(\.productIdentifier) == ["spear"])
            #expect(try await controller.promotionVisibility(for: shield) == .hide)
            #expect(try await controller.promotionVisibility(for: spear) == .default)
        }
        #expect(tablet.promotedProducts == ["spear", "sword"])
        #expect(store.device.promotedProducts == ["sword", "shield", "spear"])
        #expect(throws: SandboxError(.notPromoted("shield"))) { try tablet.promote("shield") }
        #expect(throws: SandboxError(.notPromoted("swrod"))) { try tablet.promote("swrod") }
        try store.device.promote("shield")
        try await context.run {
            try await controller.update(promotionOrder: [])
            try await controller.update(promotionVisibility: .show, for: shield)
            #expect(try await controller.promotionOrder().isEmpty)
            #expect(try await controller.promotionVisibility(for: shield) == .show)
        }
        #expect(tablet.promotedProducts == ["sword", "shield", "spear"])
    }

    @Test func `B174: The ledger keeps what an app changed, and a device out of reach changes nothing`() async throws {
        let ledger = MemoryLedger()
        let controller = SKProductStorePromotionController()
        let sword = SKProduct(productIdentifier: "sword")
        do {
            let store = try SandboxStore(products: Market.products, ledger: ledger)
            try await StoreContext(backend: store).run {
                try await controller.update(promotionVisibility: .hide, for: sword)
            }
            store.isReachable = false
            await #expect(throws: URLError.self) {
                try await StoreContext(backend: store).run {
                    try await controller.update(promotionVisibility: .show, for: sword)
                }
            }
        }
        let store = try SandboxStore(ledger: ledger)
        #expect(!store.device.promotedProducts.contains("sword"))
        try await StoreContext(backend: store).run {
            let visibility = try await controller.promotionVisibility(for: sword)
            #expect(visibility == .hide)
        }
    }

    @Test func `B174: A store behind a network keeps them too`() async throws {
        let world = try Conformer.onTasks.world()
        let controller = SKProductStorePromotionController()
        try await StoreContext(backend: world.backend).run {
            try await controller.update(promotionOrder: [SKProduct(productIdentifier: "shield")])
            #expect(try await controller.promotionOrder().map(\.productIdentifier) == ["shield"])
        }
        #expect(world.store.device.promotedProducts.first == "shield")
    }

    @Test(arguments: ["bundleId", "bundleIdentifier"])
    func `B175: A link begins a purchase, also of what is hidden`(name: String) throws {
        market.store.changePromotion(.visibility(productIdentifier: "full.game", isShown: false)) { _ in }
        let app = PromotedApp(on: market.store, accepts: true)
        let link = "itms-services://?action=purchaseIntent&\(name)=com.example.app&productIdentifier=full.game"
        try market.store.settle { try market.store.device.openPurchaseIntent(url: try #require(URL(string: link))) }
        let history = app.recorder.history(of: "full.game")
        #expect(history.prefix(2) == [.promoted("full.game"), .updated("full.game", .purchasing)])
        #expect(market.store.account.entitlements.map(\.productIdentifier) == ["full.game"])
    }

    @Test(arguments: [
        "https://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=sword",
        "itms-services://?action=download-manifest&bundleId=com.example.app&productIdentifier=sword",
        "itms-services://?action=purchaseIntent&bundleId=com.example.other&productIdentifier=sword",
        "itms-services://?action=purchaseIntent&bundleId=com.example.app",
        "itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=swrod",
    ])
    func `B175: Any other link begins nothing, and says why`(link: String) throws {
        let app = PromotedApp(on: market.store, accepts: true)
        let url = try #require(URL(string: link))
        let error = #expect(throws: SandboxError.self) { try market.store.device.openPurchaseIntent(url: url) }
        guard case .notPurchaseIntent(let reason)? = error?.reason else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(!reason.isEmpty)
        market.store.settle()
        #expect(app.recorder.callbacks == [])
    }
}
