import Foundation
import StoreCore

/// An app's observer that finishes what is purchased, and lets a test wait for what it hears.
final class Shopper: NSObject, SKPaymentTransactionObserver, Sendable {
    private struct State {
        var heard: [String] = []
        var waiters: [(isSo: ([String]) -> Bool, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())
    private let finishes: Bool

    init(finishes: Bool = true) { self.finishes = finishes }

    /// What was heard: a product and a state, or `removed`.
    var heard: [String] { state.withLock { $0.heard } }

    /// Waits until a line was heard so many times.
    func wait(for line: String, times: Int = 1) async { await wait { heard in heard.count { $0 == line } >= times } }

    private func wait(until isSo: @escaping @Sendable ([String]) -> Bool) async {
        await withCheckedContinuation { waiter in
            let isDone = state.withLock { state in
                if isSo(state.heard) { return true }
                state.waiters.append((isSo, waiter))
                return false
            }
            if isDone { waiter.resume() }
        }
    }

    private func note(_ lines: [String]) {
        let waiters = state.withLock { state in
            state.heard += lines
            let done = state.waiters.filter { $0.isSo(state.heard) }
            state.waiters.removeAll { $0.isSo(state.heard) }
            return done
        }
        for (_, waiter) in waiters { waiter.resume() }
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        note(transactions.map { "\($0.payment.productIdentifier) \(Self.name(of: $0.transactionState))" })
        guard finishes else { return }
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased, .restored, .failed: queue.finishTransaction(transaction)
            default: break
            }
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        note(transactions.map { "\($0.payment.productIdentifier) removed" })
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { note(["restored all"]) }

    private static func name(of state: SKPaymentTransactionState) -> String {
        switch state {
        case .purchasing: "purchasing"
        case .purchased: "purchased"
        case .failed: "failed"
        case .restored: "restored"
        case .deferred: "deferred"
        @unknown default: "?"
        }
    }
}
