import IAPManager
import StoreKitTest
import XCTest

/// The app's one manager, on the default queue, with its callbacks on the main queue.
final class IAPManagerTests: XCTestCase {
    private let manager = IAPManager.shared
    private let spy = DelegateSpy()
    private var session: SKTestSession!

    private let expansion = "com.example.expansion"
    private let items = ["com.example.sword", "com.example.shield", "com.example.spear"]

    // As at launch: before there is a session.
    override class func setUp() {
        super.setUp()
        IAPManager.shared.start()
    }

    override class func tearDown() {
        IAPManager.shared.stop()
        super.tearDown()
    }

    override func setUpWithError() throws {
        forgetPurchases()
        session = try SKTestSession(configurationFileNamed: "Armoury")
        session.resetToDefaultState()
        session.clearTransactions()
        session.disableDialogs = true
        manager.delegate = spy
    }

    override func tearDown() { forgetPurchases() }

    private func forgetPurchases() {
        for key in items + [expansion, "IAPManager.transactions"] { UserDefaults.standard.removeObject(forKey: key) }
    }

    private func wait(for event: String, times: Int = 1, _ act: () throws -> Void) rethrows {
        let heard = expectation(description: event)
        heard.expectedFulfillmentCount = times
        spy.onEvent = { if $0 == event { heard.fulfill() } }
        try act()
        wait(for: [heard], timeout: 60)
    }

    private func product(_ identifier: String) throws -> SKProduct {
        wait(for: "loaded") { manager.loadProducts() }
        return try XCTUnwrap(manager.products.first { $0.productIdentifier == identifier })
    }

    func testTheShopShowsWhatTheStoreSells() throws {
        XCTAssertTrue(manager.canBuy)
        let pack = try product(expansion)
        XCTAssertEqual(pack.localizedTitle, "Expansion BinaryEncoder")
        XCTAssertEqual(pack.localizedDescription, "New levels to explore!")
        XCTAssertEqual(manager.products.map { manager.price(of: $0) }, ["$4.99", "$2.99", "$1.99", "$0.99"])
        XCTAssertEqual(manager.missingProducts, ["com.example.catapult"])
    }

    func testTheExpansionIsUnlocked() throws {
        let pack = try product(expansion)
        XCTAssertFalse(manager.isUnlocked(expansion))
        wait(for: "provided \(expansion)") { manager.buy(pack) }
        XCTAssertTrue(manager.isUnlocked(expansion))
        XCTAssertTrue(SKPaymentQueue.default().transactions.isEmpty)
        XCTAssertEqual(manager.recordedTransactions, ["0"])
        XCTAssertEqual(session.allTransactions().map(\.state), [.purchased])
    }

    func testPaymentsAreOutstandingSideBySide() throws {
        _ = try product(expansion)
        let heard = items.map { item in expectation(description: item) }
        spy.onEvent = { event in
            if let index = self.items.firstIndex(where: { event == "provided \($0)" }) { heard[index].fulfill() }
        }
        for product in manager.products where items.contains(product.productIdentifier) {
            manager.buy(product, quantity: 2)
        }
        // None has been answered yet: answers come on the main queue.
        XCTAssertEqual(SKPaymentQueue.default().transactions.count, 3)
        wait(for: heard, timeout: 60)
        XCTAssertEqual(items.map { manager.count(of: $0) }, [2, 2, 2])
    }

    func testAFailureIsShownAndUnlocksNothing() throws {
        let pack = try product(expansion)
        session.failTransactionsEnabled = true
        session.failureError = .invalidSignature
        wait(for: "failed \(expansion): 12") { manager.buy(pack) }
        XCTAssertFalse(manager.isUnlocked(expansion))
        XCTAssertTrue(SKPaymentQueue.default().transactions.isEmpty)
    }

    func testAParentIsAskedFirst() throws {
        let pack = try product(expansion)
        session.askToBuyEnabled = true
        wait(for: "waiting for \(expansion)") { manager.buy(pack) }
        XCTAssertFalse(manager.isUnlocked(expansion))
        let waiting = try XCTUnwrap(session.allTransactions().first)
        try wait(for: "provided \(expansion)") {
            try session.approveAskToBuyTransaction(identifier: waiting.identifier)
        }
        XCTAssertTrue(manager.isUnlocked(expansion))
    }

    func testARestoreUnlocksAgain() throws {
        try wait(for: "provided \(expansion)") { try session.buyProduct(productIdentifier: expansion) }
        forgetPurchases()
        wait(for: "restored") { manager.restore() }
        XCTAssertTrue(manager.isUnlocked(expansion))
        XCTAssertEqual(spy.events.suffix(2), ["provided \(expansion)", "restored"])
    }

    func testWhatIsPaidBackIsLocked() throws {
        try wait(for: "provided \(expansion)") { try session.buyProduct(productIdentifier: expansion) }
        let bought = try XCTUnwrap(session.allTransactions().first)
        try wait(for: "locked \(expansion)") { try session.refundTransaction(identifier: bought.identifier) }
        XCTAssertFalse(manager.isUnlocked(expansion))
    }

    func testWhatWasBoughtMeanwhileComesAtTheNextLaunch() throws {
        manager.stop()
        try session.buyProduct(productIdentifier: expansion)
        XCTAssertFalse(manager.isUnlocked(expansion))
        wait(for: "provided \(expansion)") { manager.start() }
        XCTAssertTrue(manager.isUnlocked(expansion))
    }

    func testProductsFromBeforeTheSessionCanBeBought() throws {
        let pack = try product(expansion)
        let second = try SKTestSession(configurationFileNamed: "Armoury")
        second.clearTransactions()
        wait(for: "provided \(expansion)") { manager.buy(pack) }
        XCTAssertEqual(second.allTransactions().map(\.productIdentifier), [expansion])
        XCTAssertEqual(session.allTransactions().map(\.productIdentifier), [expansion])
    }

    @MainActor func testAnExpansionIsUnlockedWhileTheTestAwaits() async throws {
        await spy.wait(for: "loaded") { manager.loadProducts() }
        let pack = try XCTUnwrap(manager.products.first)
        let heard = expectation(description: "provided")
        spy.onEvent = { if $0 == "provided \(self.expansion)" { heard.fulfill() } }
        manager.buy(pack)
        await fulfillment(of: [heard], timeout: 60)
        XCTAssertTrue(manager.isUnlocked(expansion))
    }
}
