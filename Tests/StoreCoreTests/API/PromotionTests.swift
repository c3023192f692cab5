import StoreCore
import Testing

/// Where no store keeps what an app changes in its promotion.
@Suite struct PromotionTests {
    /// What is changed belongs to the context.
    let context = StoreContext()
    let first = SKProduct(productIdentifier: "promoted.1")
    let second = SKProduct(productIdentifier: "promoted.2")
    let controller = SKProductStorePromotionController.default()

    @Test func `B174: An order that was set is fetched again, an empty one removes it`() async throws {
        try await context.run {
            try await controller.update(promotionOrder: [second, first])
            #expect(try await controller.promotionOrder() == [second, first])
            try await controller.update(promotionOrder: [])
            #expect(try await controller.promotionOrder().isEmpty)
        }
    }

    @Test func `B174: Visibility is set product by product and is default otherwise`() async throws {
        try await context.run {
            #expect(try await controller.promotionVisibility(for: first) == .default)
            try await controller.update(promotionVisibility: .hide, for: first)
            let sameProduct = SKProduct(productIdentifier: "promoted.1")
            #expect(try await controller.promotionVisibility(for: sameProduct) == .hide)
            #expect(try await controller.promotionVisibility(for: second) == .default)
            try await controller.update(promotionVisibility: .default, for: first)
            #expect(try await controller.promotionVisibility(for: first) == .default)
        }
    }

    @Test func `Completion handlers are called once, and before the call returns`() {
        context.run {
            var heard: [String] = []
            controller.update(storePromotionOrder: [first]) { heard.append("set order, \($0 == nil)") }
            controller.fetchStorePromotionOrder { heard.append("order \($0.count), \($1 == nil)") }
            controller.update(storePromotionVisibility: .show, for: second) {
                heard.append("set visibility, \($0 == nil)")
            }
            controller.fetchStorePromotionVisibility(for: second) { heard.append("visibility \($0), \($1 == nil)") }
            #expect(heard == ["set order, true", "order 1, true", "set visibility, true", "visibility show, true"])
            controller.update(storePromotionOrder: [])
            controller.update(storePromotionVisibility: .default, for: second)
            controller.fetchStorePromotionOrder()
            controller.fetchStorePromotionVisibility(for: second)
        }
    }

    @Test func `The async forms go through the forms with a handler, which a client may override`() async throws {
        final class Failing: SKProductStorePromotionController {
            override func fetchStorePromotionOrder(completionHandler: (([SKProduct], (any Error)?) -> Void)? = nil) {
                completionHandler?([], SKError(.unknown))
            }
        }
        await #expect(throws: SKError(.unknown)) { try await Failing().promotionOrder() }
    }

    @Test func `The controller that apps use is always the same`() {
        #expect(SKProductStorePromotionController.default() === controller)
    }
}

@Suite struct ReviewTests {
    @Test func `Asking for a review shows nothing, and writes a line that a test can read`() {
        let lines = Locked<[String]>([])
        let context = StoreContext(log: StoreLog { line in lines.withLock { $0.append(line) } })
        context.run { SKStoreReviewController.requestReview() }
        #expect(lines.withLock { $0 }.count == 1)
        #expect(lines.withLock { $0 }.first?.contains("review") == true)
    }
}
