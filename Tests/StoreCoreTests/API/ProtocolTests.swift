import Foundation
import StoreCore
import Testing

private final class Minimal: NSObject, SKPaymentTransactionObserver, SKPaymentQueueDelegate {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
}

private class Base: NSObject, SKPaymentTransactionObserver {
    var heard: [String] = []
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        heard.append("removed, base")
    }
}

private final class Derived: Base {
    override func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        heard.append("removed, derived")
    }
    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) { heard.append("storefront, derived") }
}

@Suite struct ProtocolTests {
    @Test func `What an observer leaves out does nothing and drops promoted purchases`() {
        let observer: any SKPaymentTransactionObserver = Minimal()
        let queue = SKPaymentQueue()
        observer.paymentQueue(queue, removedTransactions: [])
        observer.paymentQueue(queue, restoreCompletedTransactionsFailedWithError: SKError(.unknown))
        observer.paymentQueueRestoreCompletedTransactionsFinished(queue)
        observer.paymentQueue(queue, updatedDownloads: [])
        observer.paymentQueueDidChangeStorefront(queue)
        observer.paymentQueue(queue, didRevokeEntitlementsForProductIdentifiers: [])
        #expect(!observer.paymentQueue(queue, shouldAddStorePayment: SKPayment(), for: SKProduct()))
    }

    @Test func `B170, B180: What a queue's delegate leaves out is answered with yes`() {
        let delegate: any SKPaymentQueueDelegate = Minimal()
        let queue = SKPaymentQueue()
        #expect(delegate.paymentQueue(queue, shouldContinue: SKPaymentTransaction(), in: SKStorefront()))
        #expect(delegate.paymentQueueShouldShowPriceConsent(queue))
    }

    @Test func `A request's delegate hears what it implements; the rest does nothing`() {
        final class OnlyFinish: NSObject, SKRequestDelegate {
            var finished = 0
            func requestDidFinish(_ request: SKRequest) { finished += 1 }
        }
        let delegate = OnlyFinish()
        let known: any SKRequestDelegate = delegate
        known.requestDidFinish(SKRequest())
        known.request(SKRequest(), didFailWithError: SKError(.unknown))
        #expect(delegate.finished == 1)
    }

    @Test func `A subclass is called for what it overrides, not for what it is the first to implement`() {
        let derived = Derived()
        let observer: any SKPaymentTransactionObserver = derived
        observer.paymentQueue(SKPaymentQueue(), removedTransactions: [])
        observer.paymentQueueDidChangeStorefront(SKPaymentQueue())
        #expect(derived.heard == ["removed, derived"])
    }
}
