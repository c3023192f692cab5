import StoreContract
import StoreCore
import StoreKit
import Testing

@Suite struct PromotionInfoTests {
    private let store: SandboxStore
    private let context: StoreContext

    init() throws {
        store = try SandboxStore(products: Self.products, locale: "en_US")
        context = StoreContext(backend: store, delivery: .inline, log: .silent)
    }

    private static let products = ["sword", "shield", "spear", "stone"].map {
        SandboxProduct.consumable($0, price: "0.99")
    }

    /// Returns the products that the app has placed, with their visibility.
    private func currentOrder() async throws -> [String] {
        try await Self.currentOrder(in: context)
    }

    private static func currentOrder(in context: StoreContext) async throws -> [String] {
        try await context.run {
            try await Product.PromotionInfo.currentOrder.map { "\($0.productID) \($0.visibility)" }
        }
    }

    @Test func `Without changes there is no order, and the page shows the store's`() async throws {
        #expect(try await currentOrder().isEmpty)
        #expect(store.device.promotedProducts == ["sword", "shield", "spear", "stone"])
    }

    @Test func `An order shows its products on this device, and hides the others`() async throws {
        let tablet = try store.addDevice("tablet", signedInTo: store.account)
        try await context.run { try await Product.PromotionInfo.updateProductOrder(byID: ["spear", "sword"]) }
        #expect(try await currentOrder() == ["spear appStoreConnectDefault", "sword appStoreConnectDefault"])
        #expect(store.device.promotedProducts == ["spear", "sword"])
        #expect(throws: SandboxError(.notPromoted("shield"))) { try store.device.promote("shield") }
        #expect(tablet.promotedProducts == ["sword", "shield", "spear", "stone"])
    }

    @Test(arguments: [true, false]) func `An empty order restores the store's order and visibility`(
        byID: Bool
    ) async throws {
        try await context.run {
            try await Product.PromotionInfo.updateProductOrder(byID: ["spear"])
            try await Product.PromotionInfo.updateProductVisibility(.hidden, for: "sword")
            if byID {
                try await Product.PromotionInfo.updateProductOrder(byID: [])
            } else {
                try await Product.PromotionInfo.updateAll([])
            }
        }
        #expect(try await currentOrder().isEmpty)
        #expect(store.device.promotedProducts == ["sword", "shield", "spear", "stone"])
    }

    @Test func `A product that is left out is hidden although it was shown, until it is shown again`() async throws {
        try await context.run {
            try await Product.PromotionInfo.updateProductVisibility(.visible, for: "stone")
            try await Product.PromotionInfo.updateProductVisibility(.hidden, for: "shield")
            try await Product.PromotionInfo.updateProductVisibility(.visible, for: "spear")
            try await Product.PromotionInfo.updateProductOrder(byID: ["spear", "shield"])
        }
        #expect(try await currentOrder() == ["spear visible", "shield hidden"])
        #expect(store.device.promotedProducts == ["spear"])
        try await context.run { try await Product.PromotionInfo.updateProductVisibility(.visible, for: "stone") }
        #expect(store.device.promotedProducts == ["spear", "stone"])
    }

    @Test func `A changed visibility applies once it is saved`() async throws {
        try await context.run {
            try await Product.PromotionInfo.updateProductOrder(byID: ["sword", "spear"])
            var sword = try #require(try await Product.PromotionInfo.currentOrder.first)
            sword.visibility = .hidden
            #expect(store.device.promotedProducts == ["sword", "spear"])
            try await sword.update()
            #expect(store.device.promotedProducts == ["spear"])
            let saved = try #require(try await Product.PromotionInfo.currentOrder.first)
            #expect(saved == sword)
            sword.visibility = .appStoreConnectDefault
            #expect(saved != sword)
            try await sword.update()
        }
        #expect(store.device.promotedProducts == ["sword", "spear"])
    }

    @Test func `All can be replaced at once`() async throws {
        try await context.run {
            try await Product.PromotionInfo.updateProductOrder(byID: ["sword", "spear", "stone"])
            try await Product.PromotionInfo.updateProductVisibility(.visible, for: "shield")
            try await Product.PromotionInfo.updateProductVisibility(.hidden, for: "sword")
            var promotions = try await Product.PromotionInfo.currentOrder
            promotions[0].visibility = .appStoreConnectDefault
            promotions[1].visibility = .hidden
            try await Product.PromotionInfo.updateAll(promotions.dropLast().reversed())
        }
        #expect(try await currentOrder() == ["spear hidden", "sword appStoreConnectDefault"])
        #expect(store.device.promotedProducts == ["sword"])
    }

    @Test func `What Store Kit 1 sets is read here, and shows the others behind it`() async throws {
        try await context.run {
            try await Product.PromotionInfo.updateProductOrder(byID: ["stone"])
            let controller = SKProductStorePromotionController.default()
            try await controller.update(promotionOrder: [SKProduct(productIdentifier: "spear")])
            try await controller.update(promotionVisibility: .show, for: SKProduct(productIdentifier: "spear"))
            try await controller.update(promotionVisibility: .hide, for: SKProduct(productIdentifier: "sword"))
        }
        #expect(try await currentOrder() == ["spear visible"])
        #expect(store.device.promotedProducts == ["spear", "shield", "stone"])
    }

    @Test(arguments: [true, false]) func `What is set here Store Kit 1 reads, whether a store saves it or not`(
        isSaved: Bool
    ) async throws {
        let backend: any StoreBackend = isSaved ? store : PlainStore(store)
        let context = StoreContext(backend: backend, delivery: .inline, log: .silent)
        try await context.run {
            try await Product.PromotionInfo.updateProductOrder(byID: ["spear", "sword"])
            try await Product.PromotionInfo.updateProductVisibility(.visible, for: "spear")
            let controller = SKProductStorePromotionController.default()
            #expect(try await controller.promotionOrder().map(\.productIdentifier) == ["spear", "sword"])
            let visibilities = ["spear": SKProductStorePromotionVisibility.show, "sword": .default, "stone": .hide]
            for (identifier, right) in visibilities {
                let product = SKProduct(productIdentifier: identifier)
                let visibility = try await controller.promotionVisibility(for: product)
                #expect(visibility == right, "\(identifier)")
            }
        }
        #expect(try await Self.currentOrder(in: context) == ["spear visible", "sword appStoreConnectDefault"])
        #expect(store.device.promotedProducts.count == (isSaved ? 2 : 4))
    }

    @Test func `The ledger keeps what was left out`() async throws {
        let ledger = MemoryLedger()
        do {
            let store = try SandboxStore(products: Self.products, ledger: ledger)
            try await StoreContext(backend: store, delivery: .inline, log: .silent).run {
                try await Product.PromotionInfo.updateProductOrder(byID: ["stone", "spear"])
                var promotions = try await Product.PromotionInfo.currentOrder
                promotions[1].visibility = .hidden
                try await Product.PromotionInfo.updateAll(promotions)
            }
        }
        #expect(try SandboxStore(ledger: ledger).device.promotedProducts == ["stone"])
    }

    @Test func `A store that is out of reach saves nothing`() async throws {
        store.isReachable = false
        await #expect(throws: StoreKitError.self) {
            try await context.run { try await Product.PromotionInfo.updateProductOrder(byID: ["spear"]) }
        }
        #expect(try await currentOrder().isEmpty)
    }

    @Test func `Visibility has Store Kit 1's numbers`() {
        let visibilities: [Product.PromotionInfo.Visibility] = [.appStoreConnectDefault, .visible, .hidden]
        let numbers: [SKProductStorePromotionVisibility] = [.default, .show, .hide]
        #expect(visibilities.map(\.rawValue) == numbers.map(\.rawValue))
    }
}
