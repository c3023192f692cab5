// The code of the articles "From SKTestSession to SandboxStore" and "Moving code over", compiled and run.
import Foundation
import StoreCore
import StoreCrypto
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
    let request = try #require(store.undecidedRequests.first)
    try store.approve(request)
    store.settle()

    #expect(till.delivered == ["castle"])
}

#if canImport(UIKit)
    import UIKit
    func present(_ page: SKStoreProductViewController, over parent: UIViewController) {
        parent.present(page, animated: true)
    }
#endif

@Suite(.enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice))) struct SessionReceiptTests {
    @Test func `An app verifies its receipt with the session's certificate`() throws {
        try StoreContext(delivery: .inline).run {
            let session = try SKTestSession(configurationFileNamed: "Arcade")
            try session.buyProduct(productIdentifier: "castle")
            let certificate = try #require(session.publicCertificate)
            let verifier = try AppStoreVerifier(root: certificate)
            let content = try verifier.verify(#require(session.store.appReceipt), at: session.store.clock.now)
            guard case .appReceipt(let receipt, environment: "Xcode") = content else { return }
            #expect(receipt.purchases.map(\.productIdentifier) == ["castle"])
        }
    }

    @Test func `A session's certificate is kept in a folder`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try #require(
            Bundle.module.url(forResource: "Arcade", withExtension: "storekit", subdirectory: "Resources")
        )
        let clock = ManualClock()
        try StoreContext(delivery: .inline).run {
            let authority = try CertificateAuthority(folder: folder, now: clock.now)
            let signer = try AppStoreSigner(authority, clock: clock, form: .xcode)
            let session = try SKTestSession(contentsOf: file, clock: clock, signer: signer)
            try session.publicCertificate?.write(to: folder.appending(path: "StoreKitTestCertificate.cer"))
        }
    }
}
