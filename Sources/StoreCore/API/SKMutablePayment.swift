import Foundation

/// A payment whose properties can be changed, until it is added to a queue.
///
/// The queue takes a copy: changes made afterwards reach neither the store nor the transaction.
open class SKMutablePayment: SKPayment {
    /// Creates a mutable payment for one unit of a product that the app knows by its identifier.
    override open class func payment(withProductIdentifier identifier: String) -> Self {
        guard let payment = SKMutablePayment(productIdentifier: identifier) as? Self else {
            fatalError("\(Self.self) must override payment(withProductIdentifier:) to be made by it")
        }
        return payment
    }

    /// The product's identifier, as agreed with the store.
    override open var productIdentifier: String {
        get { stored.productIdentifier }
        set { change(\.productIdentifier, to: newValue) }
    }

    /// The quantity to buy, 1 by default.
    ///
    /// A store sells 1...10; a queue traps on less than 1.
    override open var quantity: Int {
        get { stored.quantity }
        set { change(\.quantity, to: newValue) }
    }

    /// Reserved data, nil by default.
    ///
    /// A store rejects a payment that carries it.
    override open var requestData: Data? {
        get { stored.requestData }
        set { change(\.requestData, to: newValue) }
    }

    /// The app's own name for its user, nil by default; opaque to the store.
    ///
    /// Set it before adding the payment.
    override open var applicationUsername: String? {
        get { stored.applicationUsername }
        set { change(\.applicationUsername, to: newValue) }
    }

    /// Whether a sandbox defers the purchase until another person approves it, false by default.
    ///
    /// Has no effect elsewhere.
    override open var simulatesAskToBuyInSandbox: Bool {
        get { stored.simulatesAskToBuyInSandbox }
        set { change(\.simulatesAskToBuyInSandbox, to: newValue) }
    }

    /// A signed promotional offer, nil by default.
    ///
    /// Setting it copies the value.
    override open var paymentDiscount: SKPaymentDiscount? {
        get { stored.discount.map(SKPaymentDiscount.init) }
        set { change(\.discount, to: newValue?.value) }
    }
}
