import StoreKit

protocol KioskDelegate: AnyObject {
    func kioskDidChange(_ kiosk: Kiosk)
    func kiosk(_ kiosk: Kiosk, couldNotSell sale: Kiosk.Sale, because error: (any Error)?)
}

// One device behind which customers stand in line. What is sold is a consumable that a clerk hands over:
// the clerk confirms an order before it is paid, and the transaction is finished when the customer has the goods.
final class Kiosk: NSObject {
    struct Sale: Equatable {
        var ticket: String
        var product: String
        var quantity: Int
    }

    enum Refusal: Error {
        case notOnTheMenu
        case mayNotPay
        case ticketIsTaken
    }

    weak var delegate: (any KioskDelegate)?

    private(set) var menu: [SKProduct] = []
    private var request: SKProductsRequest?
    private var orders: [SKPayment] = []
    private var paid: [SKPaymentTransaction] = []

    /// What the clerk still has to confirm.
    var waiting: [Sale] { orders.map(Sale.init) }

    /// What has been paid for and lies on the counter.
    var counter: [Sale] { paid.map { Sale($0.payment) } }

    func open(selling products: Set<String>) {
        SKPaymentQueue.default().add(self)
        let request = SKProductsRequest(productIdentifiers: products)
        request.delegate = self
        self.request = request
        request.start()
    }

    func close() {
        request?.cancel()
        SKPaymentQueue.default().remove(self)
    }

    // MARK: The customer

    func order(_ product: String, quantity: Int = 1, ticket: String) throws {
        guard SKPaymentQueue.canMakePayments() else { throw Refusal.mayNotPay }
        guard let item = menu.first(where: { $0.productIdentifier == product }) else { throw Refusal.notOnTheMenu }
        guard !(waiting + counter).contains(where: { $0.ticket == ticket }) else { throw Refusal.ticketIsTaken }
        let payment = SKMutablePayment(product: item)
        payment.quantity = quantity
        payment.applicationUsername = ticket
        orders.append(payment)
        delegate?.kioskDidChange(self)
    }

    // MARK: The clerk

    func confirm(_ ticket: String) {
        for payment in take(ticket) { SKPaymentQueue.default().add(payment) }
    }

    func refuse(_ ticket: String) { _ = take(ticket) }

    func handOver(_ ticket: String) {
        for transaction in paid where transaction.payment.applicationUsername == ticket {
            SKPaymentQueue.default().finishTransaction(transaction)
        }
    }

    private func take(_ ticket: String) -> [SKPayment] {
        let taken = orders.filter { $0.applicationUsername == ticket }
        orders.removeAll { $0.applicationUsername == ticket }
        delegate?.kioskDidChange(self)
        return taken
    }
}

extension Kiosk.Sale {
    init(_ payment: SKPayment) {
        self.init(
            ticket: payment.applicationUsername ?? "",
            product: payment.productIdentifier,
            quantity: payment.quantity
        )
    }
}

extension Kiosk: SKProductsRequestDelegate {
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        menu = response.products
        delegate?.kioskDidChange(self)
    }
}

extension Kiosk: SKPaymentTransactionObserver {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased:
                // The same transaction may be told again: the counter has it once.
                let number = transaction.transactionIdentifier
                paid.removeAll { $0.transactionIdentifier == number }
                paid.append(transaction)
                delegate?.kioskDidChange(self)
            case .failed:
                delegate?.kiosk(self, couldNotSell: Sale(transaction.payment), because: transaction.error)
                queue.finishTransaction(transaction)
            case .restored:
                queue.finishTransaction(transaction)
            case .purchasing, .deferred: break
            @unknown default: break
            }
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        let gone = transactions.compactMap(\.transactionIdentifier)
        paid.removeAll { gone.contains($0.transactionIdentifier ?? "") }
        delegate?.kioskDidChange(self)
    }
}
