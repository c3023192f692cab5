import Foundation

/// A product with the fields that apps read first.
final class HandProduct: NSObject {
    let productIdentifier: String
    let localizedTitle: String
    let localizedDescription: String
    let price: Decimal

    init(productIdentifier: String) {
        self.productIdentifier = productIdentifier
        localizedTitle = "Coins"
        localizedDescription = "A bag of coins"
        price = 1
    }
}
