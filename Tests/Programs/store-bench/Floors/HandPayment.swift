import Foundation

/// A payment with the fields that Store Kit's has, and nothing behind them.
final class HandPayment: NSObject {
    let productIdentifier: String
    let quantity: Int
    let applicationUsername: String?
    let requestData: Data?

    init(productIdentifier: String, quantity: Int = 1) {
        self.productIdentifier = productIdentifier
        self.quantity = quantity
        applicationUsername = nil
        requestData = nil
    }
}
