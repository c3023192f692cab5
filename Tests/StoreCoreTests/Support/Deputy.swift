import Foundation
import StoreCore

/// A queue's delegate that records what it is asked, and answers as it is told.
final class Deputy: NSObject, SKPaymentQueueDelegate, @unchecked Sendable {
    // unchecked: everything is behind the lock or constant.
    private let state = Locked<[String]>([])
    private let mayContinue: @Sendable (SKPaymentTransaction) -> Bool
    private let mayShowPriceConsent: @Sendable () -> Bool

    init(
        mayContinue: @escaping @Sendable (SKPaymentTransaction) -> Bool = { _ in true },
        mayShowPriceConsent: @escaping @Sendable () -> Bool = { true }
    ) {
        self.mayContinue = mayContinue
        self.mayShowPriceConsent = mayShowPriceConsent
    }

    /// What it was asked, in order: a product and a country, or "price".
    var asked: [String] { state.withLock { $0 } }

    func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool {
        state.withLock { $0.append("\(transaction.payment.productIdentifier) in \(newStorefront.countryCode)") }
        return mayContinue(transaction)
    }

    func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool {
        state.withLock { $0.append("price") }
        return mayShowPriceConsent()
    }
}
