import StoreKitTest
import XCTest

/// Sessions as tests for Xcode use them: on the default queue, with expectations.
final class ExpectationTests: XCTestCase {
    private var session: SKTestSession!
    private let app = App()

    override func setUpWithError() throws {
        session = try SKTestSession(configurationFileNamed: "Shop")
        session.resetToDefaultState()
        session.clearTransactions()
        session.askToBuyEnabled = true
        SKPaymentQueue.default().add(app)
    }

    override func tearDown() { SKPaymentQueue.default().remove(app) }

    private func expectation(of state: SKPaymentTransactionState) -> XCTestExpectation {
        let reached = expectation(description: "\(state)")
        app.onState = { if $0 == state { reached.fulfill() } }
        return reached
    }

    func testAnExpectationMadeAfterTheCallIsFulfilled() throws {
        let deferred = expectation(of: .deferred)
        SKPaymentQueue.default().add(SKPayment(productIdentifier: "castle"))
        wait(for: [deferred], timeout: 60)
        try session.approveAskToBuyTransaction(identifier: 0)
        XCTAssertEqual(session.allTransactions().map(\.state), [.purchased])
        XCTAssertEqual(app.states, [.purchasing, .deferred])
        wait(for: [expectation(of: .purchased)], timeout: 60)
        XCTAssertEqual(app.states, [.purchasing, .deferred, .purchased])
    }

    /// The app's own callback for `deferred` approves: its test comes to see that state before the next.
    func testStatesCanBeCountedOnceAPurchaseIsDeferred() throws {
        var problem: (any Error)?
        app.onDeferred = { [session] in
            do { try session?.approveAskToBuyTransaction(identifier: 0) } catch { problem = error }
        }
        let deferred = expectation(of: .deferred)
        SKPaymentQueue.default().add(SKPayment(productIdentifier: "castle"))
        wait(for: [deferred], timeout: 60)
        XCTAssertNil(problem)
        XCTAssertEqual(app.states, [.purchasing, .deferred])
        XCTAssertEqual(session.allTransactions().map(\.state), [.purchased])
        wait(for: [expectation(of: .purchased)], timeout: 60)
        XCTAssertEqual(app.states, [.purchasing, .deferred, .purchased])
    }
}

/// Finishes what is done, and remembers each state.
private final class App: NSObject, SKPaymentTransactionObserver {
    private(set) var states: [SKPaymentTransactionState] = []
    var onState: (SKPaymentTransactionState) -> Void = { _ in }
    var onDeferred: () -> Void = {}

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            states.append(transaction.transactionState)
            switch transaction.transactionState {
            case .purchased, .restored, .failed: queue.finishTransaction(transaction)
            case .deferred: onDeferred()
            default: break
            }
            onState(transaction.transactionState)
        }
    }
}
