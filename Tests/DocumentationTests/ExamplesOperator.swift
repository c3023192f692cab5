// The code of the articles about what a store's operator can make happen around an order, compiled and run.
import Foundation
import StoreCore
import Testing

private let products: [SandboxProduct] = [
    .consumable("sword", price: "0.99"), .consumable("shield", price: "1.99"),
    .nonConsumable("full.game", price: "4.99"),
]

@Test func `Ask to Buy is switched on for an account`() throws {
    let store = try SandboxStore(products: products)
    let child = try store.addAccount("child")
    let queue = SKPaymentQueue(backend: try store.addDevice("tablet", signedInTo: child), delivery: .inline)
    let till = Till()
    queue.add(till)

    try child.setAsksToBuy(true)
    queue.add(SKPayment(productIdentifier: "sword"))
    #expect(queue.transactions.map(\.transactionState) == [.deferred])

    let request = try #require(child.undecidedRequests.first)
    try store.approve(request)
    #expect(till.delivered == ["sword"])
}

@Test func `A purchase is interrupted, fails, and comes from elsewhere`() throws {
    let store = try SandboxStore(products: products)
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)

    try store.account.setInterruptsPurchases(true)
    queue.add(SKPayment(productIdentifier: "sword"))
    #expect((till.errors.first as? SKError)?.code == .unknown)
    #expect(try store.account.totalCharged == 0)

    let purchase = try #require(store.interruptedPurchases.first)
    try store.resolveInterruption(of: purchase.transaction)
    #expect(till.delivered == ["sword"])

    store.purchaseFailure = .storeKit(.invalidSignature, "the test wants it so")
    queue.add(SKPayment(productIdentifier: "sword"))
    #expect((till.errors.last as? SKError)?.code == .invalidSignature)

    store.purchaseFailure = nil
    try store.account.buy("shield", quantity: 2)
    #expect(till.delivered == ["sword", "shield"])
}

/// Lets no purchase go on in another country.
private final class Homebody: NSObject, SKPaymentQueueDelegate {
    func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool { false }
}

@Test func `The storefront changes`() throws {
    let store = try SandboxStore(products: [
        .consumable("sword", price: "0.99").priced("1.09", in: "DEU"),
        .consumable("stein", price: "5.00").soldOnly(in: "DEU", "AUT"),
    ])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)

    try store.setStorefront("DEU")
    queue.add(SKPayment(productIdentifier: "sword"))
    #expect(queue.storefront?.countryCode == "DEU")
    #expect(try store.account.totalCharged == Decimal(string: "1.09"))

    let delegate = Homebody()
    store.authorizer = .always(.later)
    queue.add(SKPayment(productIdentifier: "sword"))

    queue.delegate = delegate
    try store.setStorefront("FRA")
    #expect(till.errors.compactMap { ($0 as? SKError)?.code } == [.storeProductNotAvailable])
    withExtendedLifetime(delegate) {}
}

/// Keeps what the user begins on the store's page.
private final class PromotedObserver: NSObject, SKPaymentTransactionObserver {
    private(set) var offered: [String] = []
    private(set) var kept: SKPayment?

    func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct) -> Bool
    {
        offered.append(product.productIdentifier)
        kept = payment
        return false
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
}

@Test func `A purchase is begun on the store's page`() async throws {
    let store = try SandboxStore(products: [
        .consumable("sword", price: "0.99"), .nonConsumable("full.game", price: "4.99"),
    ])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let promoted = PromotedObserver()
    queue.add(promoted)

    try store.device.promote("full.game")
    #expect(promoted.offered == ["full.game"])

    queue.add(try #require(promoted.kept))
    #expect(store.account.entitlements.map(\.productIdentifier) == ["full.game"])

    let link = "itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=full.game"
    try store.device.openPurchaseIntent(url: URL(string: link)!)
    #expect(promoted.offered == ["full.game", "full.game"])

    let sword = SKProduct(productIdentifier: "sword")
    try await StoreContext(backend: store).run {
        let controller = SKProductStorePromotionController.default()
        try await controller.update(promotionVisibility: .hide, for: sword)
        #expect(store.device.promotedProducts == ["full.game"])
    }
}
