// A test that was written for Xcode: it knows Store Kit, its test sessions and XCTest, and nothing else.
import StoreKitTest
import XCTest

final class SessionTests: XCTestCase {
    func testWhatAParentApprovesIsUnlocked() throws {
        let session = try SKTestSession(configurationFileNamed: "Game")
        session.resetToDefaultState()
        session.clearTransactions()
        session.disableDialogs = true
        session.askToBuyEnabled = true
        let checkout = Checkout()
        checkout.start()
        let loaded = expectation(description: "products")
        let loader = Loader { loaded.fulfill() }
        loader.load(["full.game"])
        wait(for: [loaded], timeout: 60)
        let product = try XCTUnwrap(loader.products.first)
        XCTAssertEqual(product.localizedTitle, "The full game")

        checkout.buy(product)
        let transaction = try XCTUnwrap(session.allTransactions().first)
        XCTAssertTrue(transaction.pendingAskToBuyConfirmation)
        try session.approveAskToBuyTransaction(identifier: transaction.identifier)
        XCTAssertEqual(session.allTransactions().map(\.state), [.purchased])

        // The app hears of it once the test waits.
        XCTAssertEqual(checkout.unlocked, [])
        let finished = expectation(description: "finished")
        let watcher = FinishWatcher { finished.fulfill() }
        SKPaymentQueue.default().add(watcher)
        wait(for: [finished], timeout: 60)
        SKPaymentQueue.default().remove(watcher)
        XCTAssertEqual(checkout.unlocked, ["full.game"])
    }
}

private final class Loader: NSObject, SKProductsRequestDelegate {
    var products: [SKProduct] = []
    private let done: () -> Void
    private var request: SKProductsRequest?

    init(_ done: @escaping () -> Void) { self.done = done }

    func load(_ identifiers: Set<String>) {
        let request = SKProductsRequest(productIdentifiers: identifiers)
        request.delegate = self
        request.start()
        self.request = request
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        products = response.products
    }

    func requestDidFinish(_ request: SKRequest) { done() }
}

private final class FinishWatcher: NSObject, SKPaymentTransactionObserver {
    private let done: () -> Void

    init(_ done: @escaping () -> Void) { self.done = done }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) { done() }
}
