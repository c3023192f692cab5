import Foundation
import StoreKit

// What the shop keeps between launches. `UserDefaults` does.
package protocol ShopRecords: AnyObject {
    func dictionary(forKey key: String) -> [String: Any]?
    func set(_ value: Any?, forKey key: String)
}

extension UserDefaults: ShopRecords {}

package protocol CoinShopDelegate: AnyObject {
    func coinShop(_ shop: CoinShop, didLoad products: [SKProduct], unknown: [String])
    func coinShop(_ shop: CoinShop, didDeliver productIdentifier: String)
    func coinShop(_ shop: CoinShop, isWaitingFor productIdentifier: String)
    func coinShop(_ shop: CoinShop, didFailWith error: any Error, for productIdentifier: String?)
    func coinShop(_ shop: CoinShop, didRevoke productIdentifiers: [String])
    func coinShopDidRestore(_ shop: CoinShop)
}

/// Sells coins, a monthly pass that brings coins with each period, and a game without ads.
///
/// One is made when the app starts, before anything else looks at the payment queue, and is used on the main thread.
package final class CoinShop: NSObject, @unchecked Sendable {
    package enum ProductIdentifier {
        package static let coins = "coins.100"
        package static let pass = "pass.monthly"
        package static let noAds = "no.ads"
        package static let all: Set<String> = [coins, pass, noAds]
    }

    private static let coinsPerPurchase = [ProductIdentifier.coins: 100, ProductIdentifier.pass: 50]

    package weak var delegate: (any CoinShopDelegate)?
    package private(set) var products: [String: SKProduct] = [:]

    private let records: any ShopRecords
    private var pendingRequest: SKProductsRequest?

    package init(records: any ShopRecords = UserDefaults.standard) {
        self.records = records
        super.init()
    }

    // MARK: What the user has

    /// Coins by the transaction that brought them, so that none counts twice.
    private var credits: [String: Int] {
        get { records.dictionary(forKey: "credits") as? [String: Int] ?? [:] }
        set { records.set(newValue, forKey: "credits") }
    }

    private var unlocked: [String: Bool] {
        get { records.dictionary(forKey: "unlocked") as? [String: Bool] ?? [:] }
        set { records.set(newValue, forKey: "unlocked") }
    }

    package var coins: Int { credits.values.reduce(0, +) }
    package var showsAds: Bool { unlocked[ProductIdentifier.noAds] != true }

    // MARK: What the app does

    /// To be called in `application(_:didFinishLaunchingWithOptions:)`.
    package func start() {
        SKPaymentQueue.default().add(self)
    }

    package func stop() {
        SKPaymentQueue.default().remove(self)
    }

    package func loadProducts() {
        pendingRequest?.cancel()
        let request = SKProductsRequest(productIdentifiers: ProductIdentifier.all)
        request.delegate = self
        pendingRequest = request
        request.start()
    }

    package func buy(_ productIdentifier: String, quantity: Int = 1) {
        guard SKPaymentQueue.canMakePayments() else {
            delegate?.coinShop(self, didFailWith: SKError(.paymentNotAllowed), for: productIdentifier)
            return
        }
        guard let product = products[productIdentifier] else {
            delegate?.coinShop(self, didFailWith: SKError(.storeProductNotAvailable), for: productIdentifier)
            return
        }
        let payment = SKMutablePayment(product: product)
        payment.quantity = quantity
        SKPaymentQueue.default().add(payment)
    }

    package func restore() {
        SKPaymentQueue.default().restoreCompletedTransactions()
    }
}

extension CoinShop: SKProductsRequestDelegate {
    package func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        for product in response.products { products[product.productIdentifier] = product }
        delegate?.coinShop(self, didLoad: response.products, unknown: response.invalidProductIdentifiers)
    }

    package func requestDidFinish(_ request: SKRequest) {
        pendingRequest = nil
    }

    package func request(_ request: SKRequest, didFailWithError error: any Error) {
        pendingRequest = nil
        delegate?.coinShop(self, didFailWith: error, for: nil)
    }
}

extension CoinShop: SKPaymentTransactionObserver {
    package func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchasing: break
            case .deferred: delegate?.coinShop(self, isWaitingFor: transaction.payment.productIdentifier)
            case .purchased, .restored:
                deliver(transaction)
                queue.finishTransaction(transaction)
            case .failed:
                fail(transaction)
                queue.finishTransaction(transaction)
            @unknown default: break
            }
        }
    }

    package func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        delegate?.coinShopDidRestore(self)
    }

    package func paymentQueue(
        _ queue: SKPaymentQueue,
        restoreCompletedTransactionsFailedWithError error: any Error
    ) {
        delegate?.coinShop(self, didFailWith: error, for: nil)
    }

    package func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        for productIdentifier in productIdentifiers { unlocked[productIdentifier] = false }
        delegate?.coinShop(self, didRevoke: productIdentifiers)
    }

    private func deliver(_ transaction: SKPaymentTransaction) {
        let productIdentifier = transaction.payment.productIdentifier
        if let coins = Self.coinsPerPurchase[productIdentifier] {
            // A period of the pass that is restored was credited when it began.
            guard transaction.transactionState == .purchased, let identifier = transaction.transactionIdentifier,
                credits[identifier] == nil
            else { return }
            credits[identifier] = coins * transaction.payment.quantity
        } else {
            unlocked[productIdentifier] = true
        }
        delegate?.coinShop(self, didDeliver: productIdentifier)
    }

    private func fail(_ transaction: SKPaymentTransaction) {
        guard let error = transaction.error, (error as? SKError)?.code != .paymentCancelled else { return }
        delegate?.coinShop(self, didFailWith: error, for: transaction.payment.productIdentifier)
    }
}
