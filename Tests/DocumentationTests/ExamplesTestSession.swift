// The code of the articles "From SKTestSession to SandboxStore" and "Moving code over", compiled and run.
import Foundation
import StoreCore
import StoreKitTest
import Testing
import XCTest

final class AskToBuySessionTests: XCTestCase {
    func testAParentApproves() throws {
        let session = try SKTestSession(configurationFileNamed: "Arcade")
        session.clearTransactions()
        session.askToBuyEnabled = true
        let till = Till()
        SKPaymentQueue.default().add(till)

        SKPaymentQueue.default().add(SKPayment(productIdentifier: "castle"))
        try session.approveAskToBuyTransaction(identifier: 0)

        XCTAssertTrue(till.delivered.isEmpty)
        let finished = expectation(description: "finished")
        let watcher = FinishWatcher { finished.fulfill() }
        SKPaymentQueue.default().add(watcher)
        wait(for: [finished], timeout: 60)
        XCTAssertEqual(till.delivered, ["castle"])
    }
}

final class FinishWatcher: NSObject, SKPaymentTransactionObserver {
    private let done: () -> Void

    init(_ done: @escaping () -> Void) { self.done = done }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) { done() }
}

@Test func `A castle is bought outside the app, beside other tests`() throws {
    try StoreContext(delivery: .inline).run {
        let session = try SKTestSession(configurationFileNamed: "Arcade")
        let till = Till()
        SKPaymentQueue.default().add(till)
        try session.buyProduct(productIdentifier: "castle")
        #expect(till.delivered == ["castle"])
    }
}

@Test func `A parent approves, with a store`() throws {
    let store = try SandboxStore(products: [.nonConsumable("castle", price: "4.99")])
    try store.account.setAsksToBuy(true)
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)

    queue.add(SKPayment(productIdentifier: "castle"))
    let request = try #require(store.undecided.first)
    try store.decide(request.transaction, .approve)
    store.settle()

    #expect(till.delivered == ["castle"])
}

#if canImport(UIKit)
    import UIKit
    func present(_ page: SKStoreProductViewController, over parent: UIViewController) {
        parent.present(page, animated: true)
    }
#endif
