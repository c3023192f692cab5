import Foundation

@testable import StoreCore

/// A payment with terms that only Store Kit 2 can ask for, in a queue of Store Kit 1.
extension App {
    /// Orders something and waits until nothing moves.
    func order(_ product: String, _ change: (inout StorePayment) -> Void = { _ in }) {
        var payment = StorePayment(productIdentifier: product)
        change(&payment)
        queue.add(SKPayment(payment))
        queue.settle()
    }

    /// Orders a subscription under an offer.
    func order(_ product: String, under offer: StoreOffer) { order(product) { $0.offer = offer } }
}
