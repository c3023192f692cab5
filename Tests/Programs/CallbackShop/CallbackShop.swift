import Foundation
import StoreKit

/// A purchase library of the time before Swift concurrency, in the language mode of that time.
///
/// Its answers are closures, kept in dictionaries and called on the main queue.
public final class CallbackShop: NSObject {
    /// The library's shared instance, one for each thread: a simulated launch has a thread to itself.
    public static var shared: CallbackShop {
        get {
            let all = Thread.current.threadDictionary
            if let shop = all["CallbackShop"] as? CallbackShop { return shop }
            let shop = CallbackShop()
            all["CallbackShop"] = shop
            return shop
        }
        set {
            // The older one may read this property as it ends.
            let older = Thread.current.threadDictionary["CallbackShop"]
            Thread.current.threadDictionary["CallbackShop"] = newValue
            withExtendedLifetime(older) {}
        }
    }

    /// A closure that delivers a purchase of a product.
    public typealias Delivery = (_ product: String, _ transaction: String, _ quantity: Int) -> Void

    private var lookups: [ObjectIdentifier: (request: SKProductsRequest, answers: [([SKProduct]) -> Void])] = [:]
    private var found: [String: SKProduct] = [:]
    private var purchases: [String: [(Bool) -> Void]] = [:]
    private let serial = DispatchQueue(label: "shop.deliveries")
    private var delivered = 0

    /// Called for each purchase, before it is finished.
    public var delivery: Delivery?

    /// Begins to observe the payment queue.
    public func start(delivery: @escaping Delivery) {
        self.delivery = delivery
        SKPaymentQueue.default().add(self)
    }

    /// The number of deliveries of this launch.
    public var deliveries: Int { serial.sync { delivered } }

    /// Looks products up, and answers on the main queue.
    public func retrieve(_ identifiers: Set<String>, answer: @escaping ([SKProduct]) -> Void) {
        let known = identifiers.compactMap { found[$0] }
        if known.count == identifiers.count {
            DispatchQueue.main.async { answer(known) }
            return
        }
        let request = SKProductsRequest(productIdentifiers: identifiers)
        request.delegate = self
        lookups[ObjectIdentifier(request)] = (request, [answer])
        request.start()
    }

    /// Buys a product, and says on the main queue whether it was bought.
    public func purchase(_ identifier: String, answer: @escaping (Bool) -> Void) {
        retrieve([identifier]) { products in
            guard let product = products.first else { return answer(false) }
            self.purchases[identifier, default: []].append(answer)
            SKPaymentQueue.default().add(SKPayment(product: product))
        }
    }
}

extension CallbackShop: SKProductsRequestDelegate {
    /// Answers the lookups on the main queue.
    public func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        DispatchQueue.main.async {
            for product in response.products { self.found[product.productIdentifier] = product }
            let lookup = self.lookups.removeValue(forKey: ObjectIdentifier(request))
            for answer in lookup?.answers ?? [] { answer(response.products) }
        }
    }

    /// Answers the lookups with no product.
    public func request(_ request: SKRequest, didFailWithError error: any Error) {
        DispatchQueue.main.async {
            let lookup = self.lookups.removeValue(forKey: ObjectIdentifier(request))
            for answer in lookup?.answers ?? [] { answer([]) }
        }
    }
}

extension CallbackShop: SKPaymentTransactionObserver {
    /// Delivers purchases, and finishes everything that is decided.
    public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased: deliver(transaction, queue)
            case .failed, .restored: finish(transaction, queue, isBought: false)
            case .purchasing, .deferred: break
            @unknown default: break
            }
        }
    }

    private func deliver(_ transaction: SKPaymentTransaction, _ queue: SKPaymentQueue) {
        serial.async {
            self.delivered += 1
            DispatchQueue.main.async {
                let payment = transaction.payment
                self.delivery?(payment.productIdentifier, transaction.transactionIdentifier ?? "", payment.quantity)
                self.finish(transaction, queue, isBought: true)
            }
        }
    }

    private func finish(_ transaction: SKPaymentTransaction, _ queue: SKPaymentQueue, isBought: Bool) {
        queue.finishTransaction(transaction)
        let answers = purchases.removeValue(forKey: transaction.payment.productIdentifier) ?? []
        DispatchQueue.main.async { for answer in answers { answer(isBought) } }
    }
}
