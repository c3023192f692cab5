import PurchaseService
import StoreKitTest
import XCTest

/// The app's service on the default queue, with its callbacks on the main queue.
final class PurchaseServiceTests: XCTestCase {
    // Made and started before there is a session, and kept until the process ends.
    private static let service = PurchaseService(validator: validator)
    private static let validator = LocalReceiptValidator(bundleIdentifier: "com.example.app")

    private var service: PurchaseService { Self.service }
    private var session: SKTestSession!

    override class func setUp() {
        super.setUp()
        service.start()
    }

    override class func tearDown() {
        service.stop()
        super.tearDown()
    }

    override func setUpWithError() throws {
        session = try SKTestSession(configurationFileNamed: "Newsstand")
        session.resetToDefaultState()
        session.clearTransactions()
        service.start()
    }

    override func tearDown() { service.onUpdate = nil }

    /// Does something that answers by a completion handler, and waits for that.
    private func answer<Answer>(
        _ name: String,
        _ act: (@escaping (Answer) -> Void) throws -> Void
    ) throws -> Answer {
        let done = expectation(description: name)
        var answer: Answer?
        try act {
            answer = $0
            done.fulfill()
        }
        wait(for: [done], timeout: 60)
        return try XCTUnwrap(answer)
    }

    private func product(_ identifier: String) throws -> SKProduct {
        try XCTUnwrap(answer("product") { service.products([identifier], completion: $0) }.get().first)
    }

    private func buy(_ identifier: String) throws -> Result<Purchase, PurchaseError> {
        let product = try product(identifier)
        return try answer("purchase") { service.purchase(product, completion: $0) }
    }

    private func owned() throws -> Set<String> { try answer("owned") { service.ownedProducts(completion: $0) }.get() }

    func testWhatTheReceiptListsIsBought() throws {
        let purchase = try buy("archive").get()
        XCTAssertEqual(purchase.productIdentifier, "archive")
        XCTAssertEqual(purchase.transactionIdentifier, "0")
        XCTAssertEqual(try owned(), ["archive"])
        XCTAssertTrue(SKPaymentQueue.default().transactions.isEmpty)
    }

    func testAReceiptIsAskedForWhereThereIsNone() throws {
        XCTAssertEqual(try owned(), [])
    }

    func testProductsThatAreNotSoldAreNamed() throws {
        let found = try answer("products") { service.products(["archive", "letters"], completion: $0) }
        guard case .failure(.unknownProducts(["letters"])) = found else { return XCTFail("\(found)") }
    }

    func testADistrustedPurchaseComesAgainAtTheNextLaunch() throws {
        let validator = ValidatorStub(isTrusting: false)
        service.stop()
        let cautious = PurchaseService(validator: validator)
        cautious.start()
        let archive = try product("archive")
        let first = try answer("purchase") { cautious.purchase(archive, completion: $0) }
        guard case .failure(.receipt(_ as ValidatorStub.Distrust)) = first else { return XCTFail("\(first)") }
        XCTAssertEqual(SKPaymentQueue.default().transactions.count, 1)

        cautious.stop()
        validator.trust()
        let update: Result<Purchase, PurchaseError> = try answer("update") {
            cautious.onUpdate = $0
            cautious.start()
        }
        XCTAssertEqual(try update.get().productIdentifier, "archive")
        XCTAssertTrue(SKPaymentQueue.default().transactions.isEmpty)
        cautious.stop()
    }

    func testTheReceiptMayBeValidatedElsewhere() throws {
        service.stop()
        let remote = PurchaseService(validator: ValidatorStub(queue: .global()))
        remote.start()
        let crossword = try product("crossword")
        let purchase = try answer("purchase") { remote.purchase(crossword, completion: $0) }
        XCTAssertEqual(try purchase.get().productIdentifier, "crossword")
        XCTAssertTrue(SKPaymentQueue.default().transactions.isEmpty)
        remote.stop()
    }

    func testASubscriptionRenewsAndEnds() throws {
        XCTAssertEqual(try buy("news.monthly").get().transactionIdentifier, "0")
        let renewal: Result<Purchase, PurchaseError> = try answer("renewal") {
            service.onUpdate = $0
            try session.forceRenewalOfSubscription(productIdentifier: "news.monthly")
        }
        XCTAssertEqual(try renewal.get().transactionIdentifier, "1")
        XCTAssertEqual(try owned(), ["news.monthly"])
        try session.expireSubscription(productIdentifier: "news.monthly")
        XCTAssertEqual(try owned(), [])
    }

    func testWhatAParentApprovesIsAnUpdate() throws {
        session.askToBuyEnabled = true
        let asked = try buy("archive")
        guard case .failure(.waitingForApproval) = asked else { return XCTFail("\(asked)") }
        let waiting = try XCTUnwrap(session.allTransactions().first { $0.pendingAskToBuyConfirmation })
        let approved: Result<Purchase, PurchaseError> = try answer("approval") {
            service.onUpdate = $0
            try session.approveAskToBuyTransaction(identifier: waiting.identifier)
        }
        XCTAssertEqual(try approved.get().productIdentifier, "archive")
    }

    func testAFailedPurchaseSaysWhy() throws {
        session.failTransactionsEnabled = true
        session.failureError = .invalidOfferPrice
        let failed = try buy("archive")
        guard case .failure(.store(SKError.invalidOfferPrice)) = failed else { return XCTFail("\(failed)") }
        XCTAssertTrue(SKPaymentQueue.default().transactions.isEmpty)
    }

    func testWhatWasBoughtIsRestored() throws {
        _ = try buy("archive").get()
        _ = try buy("crossword").get()
        let restored = try answer("restore") { service.restore(completion: $0) }
        XCTAssertEqual(try restored.get().map(\.productIdentifier), ["archive"])
        XCTAssertTrue(SKPaymentQueue.default().transactions.isEmpty)
    }

    func testWhatIsPaidBackIsNotOwned() throws {
        _ = try buy("archive").get()
        try session.refundTransaction(identifier: 0)
        XCTAssertEqual(try owned(), [])
    }

    func testAPurchaseIsValidatedWhileTheTestAwaits() async throws {
        let product: SKProduct = try await withCheckedThrowingContinuation { continuation in
            service.products(["archive"]) { continuation.resume(with: $0.map { $0[0] }) }
        }
        let done = expectation(description: "purchase")
        service.purchase(product) { result in
            XCTAssertEqual(try? result.get().productIdentifier, "archive")
            done.fulfill()
        }
        await fulfillment(of: [done], timeout: 60)
    }
}
