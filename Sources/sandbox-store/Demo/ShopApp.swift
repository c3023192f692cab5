import Foundation
import StoreCore

/// The app of the demo, from one launch to the next.
final class ShopApp: NSObject {
    /// The products that the store sells.
    private(set) var products: [SKProduct] = []
    private let timeline: Timeline
    private let queue: SKPaymentQueue
    /// The observer, which the queue does not retain.
    private let observer: ShopObserver
    private var wanted: [String] = []
    private var request: SKProductsRequest?
    /// The receipt of the latest delivered transaction.
    var receipt: Data? { observer.receipt }

    init(_ timeline: Timeline, queue: SKPaymentQueue = .default(), delivers: Bool = true) {
        self.timeline = timeline
        self.queue = queue
        observer = ShopObserver(timeline: timeline, delivers: delivers)
    }

    /// Adds the observer, as an app does at the beginning of each launch.
    func launch() { queue.add(observer) }

    /// Removes the observer.
    func quit() { queue.remove(observer) }

    /// Requests products.
    func load(_ identifiers: [String]) {
        wanted = identifiers
        timeline(.app, "asks the store about \(Wording.count(identifiers.count, "identifier"))")
        let request = SKProductsRequest(productIdentifiers: Set(identifiers))
        request.delegate = self
        request.start()
        self.request = request
    }

    /// Adds a payment for a product.
    func buy(_ identifier: String, quantity: Int = 1) {
        timeline(.app, "adds a payment for \(quantity == 1 ? "" : "\(quantity) × ")\(identifier)")
        let payment: SKMutablePayment
        if let product = products.first(where: { $0.productIdentifier == identifier }) {
            payment = SKMutablePayment(product: product)
        } else {
            payment = SKMutablePayment(productIdentifier: identifier)
        }
        payment.quantity = quantity
        queue.add(payment)
    }

    /// Restores earlier purchases.
    func restore() {
        timeline(.app, "asks for what was bought earlier")
        queue.restoreCompletedTransactions()
    }
}

extension ShopApp: SKProductsRequestDelegate {
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        // The order of the products in a response is undefined.
        let found = Dictionary(uniqueKeysWithValues: response.products.map { ($0.productIdentifier, $0) })
        products = wanted.compactMap { found[$0] }
        let width = products.map(\.productIdentifier.count).max() ?? 0
        let prices = products.map(Self.price)
        let priceWidth = prices.map(\.count).max() ?? 0
        for (product, price) in zip(products, prices) {
            let title = product.localizedTitle.isEmpty ? "(no title)" : product.localizedTitle
            let columns = [product.productIdentifier.padded(to: width), price.padded(to: priceWidth), title]
            timeline(.delegate, columns.joined(separator: "  "))
        }
        for identifier in response.invalidProductIdentifiers.sorted() {
            timeline(.delegate, "\(identifier) is not for sale")
        }
    }

    func requestDidFinish(_ request: SKRequest) { self.request = nil }

    func request(_ request: SKRequest, didFailWithError error: any Error) {
        timeline(.delegate, "the request failed: \(error.localizedDescription)")
        self.request = nil
    }

    private static func price(of product: SKProduct) -> String {
        let price = Wording.price(product.price, in: product.priceLocale)
        guard let period = product.subscriptionPeriod else { return price }
        return "\(price) \(Wording.every(period.numberOfUnits, period.unit.value))"
    }
}

/// The app's observer, which delivers purchases and finishes them, and finishes failed transactions.
final class ShopObserver: NSObject, SKPaymentTransactionObserver {
    private let timeline: Timeline
    /// Whether the app delivers purchases before it is stopped.
    ///
    /// If not, it receives them again at its next launch.
    private let delivers: Bool
    /// The receipt of the latest delivered transaction.
    private(set) var receipt: Data?

    init(timeline: Timeline, delivers: Bool = true) {
        self.timeline = timeline
        self.delivers = delivers
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let product = transaction.payment.productIdentifier
            timeline(.observer, Self.describe(transaction))
            switch transaction.transactionState {
            case .purchasing, .deferred: break
            case .purchased, .restored:
                guard delivers else {
                    timeline(.app, "is stopped before it can deliver \(product)")
                    continue
                }
                receipt = transaction.transactionReceipt
                timeline(.app, "delivers \(product) and finishes the transaction")
                queue.finishTransaction(transaction)
            case .failed: queue.finishTransaction(transaction)
            @unknown default:
                break
            }
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions { timeline(.observer, Self.describe(transaction, as: "removed")) }
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        timeline(.observer, "that was everything to restore")
    }

    func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
        timeline(.observer, "restoring failed: \(Self.describe(error))")
    }
}

// MARK: - Descriptions

extension ShopObserver {
    /// Returns a line about an event of a transaction; if the event is nil, about a change of the transaction's state.
    private static func describe(_ transaction: SKPaymentTransaction, as event: String? = nil) -> String {
        let quantity = transaction.payment.quantity
        var text = (event ?? "\(transaction.transactionState)").padded(to: 10)
        text += quantity == 1 ? "  " : "  \(quantity) × "
        text += transaction.payment.productIdentifier
        if event == nil {
            if let place = place(of: transaction) { text += ", \(place)" }
            if let original = transaction.original, let place = place(of: original) { text += ", first \(place)" }
            if let error = transaction.error { text += ", \(describe(error))" }
        }
        return text
    }

    private static func place(of transaction: SKPaymentTransaction) -> String? {
        guard let identifier = transaction.transactionIdentifier, let date = transaction.transactionDate else {
            return nil
        }
        return "transaction \(identifier) of \(Wording.moment(date))"
    }

    private static func describe(_ error: any Error) -> String {
        guard let error = error as? SKError else { return error.localizedDescription }
        let reason = error.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String
        return "SKError \(error.errorCode) \(error.code): \(reason ?? error.localizedDescription)"
    }
}
