import AsyncStore
import StoreKitTest
import XCTest

/// The app's store on the default queue, with its callbacks on the main queue.
final class AsyncStoreTests: XCTestCase {
    private var session: SKTestSession!
    private var store: AsyncStore!

    override func setUp() async throws {
        // The app has launched before the test says what it sells.
        store = AsyncStore()
        session = try SKTestSession(configurationFileNamed: "Stage")
        session.resetToDefaultState()
        session.clearTransactions()
    }

    override func tearDown() async throws { store = nil }

    func testWhatIsSoldIsShown() async throws {
        let items = try await store.items(["piano", "song", "drum"])
        XCTAssertEqual(items.map(\.title), ["Piano", "Song"])
        XCTAssertEqual(items.map(\.displayPrice), ["$7.99", "$0.99"])
    }

    func testSeveralAreBought() async throws {
        _ = try await store.items(["song"])
        guard case .bought(let purchase) = try await store.buy("song", quantity: 3) else {
            return XCTFail("not bought")
        }
        XCTAssertEqual(purchase.item, "song")
        XCTAssertEqual(purchase.quantity, 3)
        XCTAssertTrue(SKPaymentQueue.default().transactions.isEmpty)
        XCTAssertEqual(session.allTransactions().map(\.productIdentifier), ["song"])
    }

    func testWhatTheStoreRefusesIsThrown() async throws {
        _ = try await store.items(["piano"])
        session.failTransactionsEnabled = true
        session.failureError = .invalidOfferIdentifier
        do {
            _ = try await store.buy("piano")
            XCTFail("it was bought")
        } catch SKError.invalidOfferIdentifier {
            XCTAssertTrue(SKPaymentQueue.default().transactions.isEmpty)
        }
    }

    func testAnInterruptedPurchaseFailsAndComesLater() async throws {
        _ = try await store.items(["piano"])
        session.interruptedPurchasesEnabled = true
        do {
            _ = try await store.buy("piano")
            XCTFail("it was bought")
        } catch is SKError {}
        var updates = store.updates.makeAsyncIterator()
        let interrupted = try XCTUnwrap(session.allTransactions().first { $0.hasPurchaseIssue })
        try session.resolveIssueForTransaction(identifier: interrupted.identifier)
        guard case .bought(let purchase) = await updates.next() else { return XCTFail("no update") }
        XCTAssertEqual(purchase.item, "piano")
    }

    /// The main thread waits for an expectation, as tests from before `async` do.
    func testATaskBuysWhileTheMainThreadWaits() throws {
        let bought = expectation(description: "bought")
        let store = try XCTUnwrap(store)
        Task {
            _ = try await store.items(["piano"])
            guard case .bought = try await store.buy("piano") else { return }
            bought.fulfill()
        }
        wait(for: [bought], timeout: 60)
        XCTAssertEqual(session.allTransactions().map(\.state), [.purchased])
    }
}
