import Foundation
import StoreCore

/// An observer of Store Kit 1 that keeps the products whose revocation it is told of.
final class RevocationObserver: NSObject, SKPaymentTransactionObserver, Sendable {
    private let products = Locked<[String]>([])
    /// The products, in the order of the callbacks.
    var heard: [String] { products.withLock { $0 } }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        products.withLock { $0 += productIdentifiers }
    }
}
