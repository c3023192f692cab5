import StoreCore
import StoreKitTest
import Testing

/// What a session's calls lead to where callbacks are made on the main queue.
@Suite @MainActor struct MainQueueTests {
    /// Something that a session does, and what the app hears of it.
    enum Act: CaseIterable {
        case approve, decline, resolve, buy, refund, renew, askForConsent, move, clear, delete, expire, reset

        var heard: [String] {
            switch self {
            case .approve, .resolve, .buy: ["castle purchased"]
            case .decline: ["castle failed (unknown)"]
            case .refund: ["revoked castle"]
            case .renew: ["basic.monthly purchased"]
            case .move, .reset: ["storefront changed"]
            case .askForConsent, .clear, .delete, .expire: []
            }
        }

        var list: [String] {
            switch self {
            case .approve, .buy, .refund, .move, .reset: ["0 castle purchased"]
            case .decline: ["0 castle failed"]
            case .resolve: ["0 castle failed", "1 castle purchased"]
            case .renew: ["0 basic.monthly purchased", "1 basic.monthly purchased"]
            case .askForConsent, .expire: ["0 basic.monthly purchased"]
            case .clear, .delete: []
            }
        }

        func prepare(_ session: SKTestSession) {
            switch self {
            case .approve, .decline: session.askToBuyEnabled = true
            case .resolve: session.interruptedPurchasesEnabled = true
            case .reset: session.storefront = "DEU"
            default: break
            }
            let product: String? =
                switch self {
                case .buy: nil
                case .renew, .askForConsent, .expire: "basic.monthly"
                default: "castle"
                }
            if let product { SKPaymentQueue.default().add(SKPayment(productIdentifier: product)) }
        }

        func perform(_ session: SKTestSession) throws {
            switch self {
            case .approve: try session.approveAskToBuyTransaction(identifier: 0)
            case .decline: try session.declineAskToBuyTransaction(identifier: 0)
            case .resolve: try session.resolveIssueForTransaction(identifier: 0)
            case .buy: try session.buyProduct(productIdentifier: "castle")
            case .refund: try session.refundTransaction(identifier: 0)
            case .renew: try session.forceRenewalOfSubscription(productIdentifier: "basic.monthly")
            case .askForConsent: try session.requestPriceIncreaseConsentForTransaction(identifier: 0)
            case .move: session.storefront = "DEU"
            case .clear: session.clearTransactions()
            case .delete: try session.deleteTransaction(identifier: 0)
            case .expire: try session.expireSubscription(productIdentifier: "basic.monthly")
            case .reset: session.resetToDefaultState()
            }
        }
    }

    @Test(arguments: Act.allCases)
    func `A session's call changes the records at once, and the app hears of it after the call`(act: Act) async throws {
        let context = StoreContext(log: .silent)
        let shop = Shop()
        let witness = StorefrontWitness(shop)
        let session = try context.run {
            let session = try SKTestSession(contentsOf: TestApp.url("Shop"))
            SKPaymentQueue.default().add(shop)
            SKPaymentQueue.default().add(witness)
            act.prepare(session)
            return session
        }
        await context.settle()
        _ = shop.takeHeard()
        try act.perform(session)
        #expect(shop.takeHeard().isEmpty)
        #expect(session.allTransactions().map { "\($0.identifier) \($0.productIdentifier) \($0.state)" } == act.list)
        await context.settle()
        #expect(shop.takeHeard() == act.heard)
    }
}

/// Tells a shop that the storefront has changed.
private final class StorefrontWitness: NSObject, SKPaymentTransactionObserver {
    private let shop: Shop

    init(_ shop: Shop) { self.shop = shop }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) { shop.write("storefront changed") }
}
