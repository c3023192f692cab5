// The code of the article "Moving code over" that a mock needs, compiled and run.
import Foundation
import StoreCore
import Testing

extension SKPaymentTransactionObserver {
    func hear(of removed: [SKPaymentTransaction], from queue: SKPaymentQueue) {
        #if canImport(Darwin)
            paymentQueue?(queue, removedTransactions: removed)
        #else
            paymentQueue(queue, removedTransactions: removed)
        #endif
    }
}

private final class CountsRemoved: NSObject, SKPaymentTransactionObserver {
    var count = 0

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        count += transactions.count
    }
}

private final class HearsNothing: NSObject, SKPaymentTransactionObserver {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
}

@Test func `A mock that plays the queue reaches an optional method, where there is one`() {
    StoreContext(log: .silent).run {
        let queue = SKPaymentQueue()
        let (listens, doesNot) = (CountsRemoved(), HearsNothing())
        let observers: [any SKPaymentTransactionObserver] = [listens, doesNot]
        for observer in observers { observer.hear(of: [SKPaymentTransaction()], from: queue) }
        #expect(listens.count == 1)
    }
}
