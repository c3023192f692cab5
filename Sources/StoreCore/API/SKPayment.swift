import Foundation

/// A request to buy a product in some quantity.
///
/// An `SKPayment` is immutable, and usually for a quantity of one; use an ``SKMutablePayment`` for more. Two payments
/// are equal if all their properties are equal, whether they are mutable or not.
///
/// Payments are not `Sendable`: pass one to the queue on the thread that created it. The queue copies the properties.
open class SKPayment: KeyValueObject, NSCopying, NSMutableCopying {
    // The only stored property, to save memory: hundreds of thousands of payments may be pending.
    final var stored: StorePayment

    /// Creates an empty payment, to be filled in by a subclass.
    ///
    /// Adding it to a queue traps unless the subclass provides an identifier.
    public override init() {
        stored = .empty
        super.init()
    }

    /// Creates a payment for one unit of a product; only the product's identifier is used.
    public convenience init(product: SKProduct) {
        self.init()
        stored = StorePayment(productIdentifier: product.productIdentifier)
    }

    /// Creates a payment for a product by the product's identifier.
    ///
    /// Not part of Apple's Store Kit. It is for tests, and for apps that need no product descriptions.
    public convenience init(productIdentifier: String, quantity: Int = 1) {
        self.init()
        stored = StorePayment(productIdentifier: productIdentifier, quantity: quantity)
    }

    convenience init(_ value: StorePayment) {
        self.init()
        stored = value
        // A payment that an app adds is a Store Kit 1 order, even if the app got it from a Store Kit 2 transaction.
        if value.isStoreKit2 { stored.isStoreKit2 = false }
    }

    /// Creates a payment for one unit of a product, by the product's identifier.
    ///
    /// Called on ``SKMutablePayment``, this method creates a mutable payment. Every other subclass must override it, or
    /// the call traps: without Objective-C, this method cannot create instances of an unknown class.
    open class func payment(withProductIdentifier identifier: String) -> Self {
        guard let payment = SKPayment(productIdentifier: identifier) as? Self else {
            fatalError("\(Self.self) must override payment(withProductIdentifier:) to be made by it")
        }
        return payment
    }

    /// The product's identifier, on which the app and the store have agreed.
    open var productIdentifier: String { stored.productIdentifier }

    /// The quantity to buy, 1 by default.
    ///
    /// A store sells 1 to 10 items at once, and only one of a product that can be restored; a payment for more fails. A
    /// queue traps if the quantity is less than 1.
    open var quantity: Int { stored.quantity }

    /// Reserved data, nil by default.
    ///
    /// A payment that has request data fails with ``SKErrorCode/unauthorizedRequestData``.
    open var requestData: Data? { stored.requestData }

    /// The app's own name for its user, which the store does not interpret; nil by default.
    ///
    /// If it is a UUID, it is returned as the transaction's account token. Any other string may be lost.
    open var applicationUsername: String? { stored.applicationUsername }

    /// Whether a sandbox defers the purchase until another person approves it; false by default.
    ///
    /// Other stores ignore it, and so does the store of a test session.
    open var simulatesAskToBuyInSandbox: Bool { stored.simulatesAskToBuyInSandbox }

    /// A signed promotional offer, nil by default.
    ///
    /// Each access returns a new, equal object.
    open var paymentDiscount: SKPaymentDiscount? { stored.discount.map(SKPaymentDiscount.init) }

    /// Changes a property by replacing the whole value: access in place would be checked for exclusivity at run time.
    final func change<Part>(_ part: WritableKeyPath<StorePayment, Part>, to value: Part) {
        var changed = stored
        changed[keyPath: part] = value
        stored = changed
    }

    /// The payment to send to the store.
    ///
    /// A subclass may have overridden the getters, so its properties are read through them.
    final var value: StorePayment {
        let type = type(of: self)
        if type == SKPayment.self || type == SKMutablePayment.self { return stored }
        return StorePayment(
            productIdentifier: productIdentifier,
            quantity: quantity,
            applicationUsername: applicationUsername,
            requestData: requestData,
            simulatesAskToBuyInSandbox: simulatesAskToBuyInSandbox,
            discount: paymentDiscount?.value
        )
    }

    /// Returns an equal immutable payment, which is this object itself unless its class is a subclass of `SKPayment`.
    open func copy(with zone: NSZone? = nil) -> Any {
        type(of: self) == SKPayment.self ? self : SKPayment(value)
    }

    /// Returns an equal ``SKMutablePayment``.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { SKMutablePayment(value) }

    /// Whether the other object is a payment with equal properties.
    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SKPayment else { return false }
        return other === self || other.value == value
    }

    /// A hash of the properties.
    override open var hash: Int { value.hashValue }

    override class var properties: [String: KeyedProperty] { keys }

    override final func change(to value: Any?, _ key: String) -> String? {
        guard self is SKMutablePayment else {
            return "\(type(of: self)) cannot be changed; set \"\(key)\" on an SKMutablePayment"
        }
        return super.change(to: value, key)
    }
}

extension SKPayment {
    /// Sets a property of an ``SKMutablePayment`` by its name, or throws an error if it cannot be set.
    ///
    /// - Throws: `SKError.clientInvalid`, with nothing changed, for an immutable payment, an unknown name or a value of
    ///   another type.
    public func setValueThrowing(_ value: Any?, forKey key: String) throws {
        if let mistake = change(to: value, key) { throw StoreFailure.storeKit(.clientInvalid, mistake).error }
    }

    private static let keys = Dictionary(
        named: KeyedProperty("productIdentifier", \SKPayment.productIdentifier, .text) {
            $0.change(\.productIdentifier, to: $1)
        },
        KeyedProperty("quantity", \SKPayment.quantity, .integer) { $0.change(\.quantity, to: $1) },
        KeyedProperty("requestData", \SKPayment.requestData, KeyedKind<Data>.cast("a Data").optional) {
            $0.change(\.requestData, to: $1)
        },
        KeyedProperty("applicationUsername", \SKPayment.applicationUsername, KeyedKind<String>.text.optional) {
            $0.change(\.applicationUsername, to: $1)
        },
        KeyedProperty("simulatesAskToBuyInSandbox", \SKPayment.simulatesAskToBuyInSandbox, .flag) {
            $0.change(\.simulatesAskToBuyInSandbox, to: $1)
        },
        KeyedProperty(
            "paymentDiscount",
            \SKPayment.paymentDiscount,
            KeyedKind<SKPaymentDiscount>.cast("an SKPaymentDiscount").optional
        ) { $0.change(\.discount, to: $1?.value) }
    )
}

/// A payment whose properties can be changed.
///
/// A queue copies the properties when the payment is added: later changes affect neither the store nor the transaction.
open class SKMutablePayment: SKPayment {
    /// Creates a mutable payment for one unit of a product, by the product's identifier.
    override open class func payment(withProductIdentifier identifier: String) -> Self {
        guard let payment = SKMutablePayment(productIdentifier: identifier) as? Self else {
            fatalError("\(Self.self) must override payment(withProductIdentifier:) to be made by it")
        }
        return payment
    }

    /// The product's identifier, on which the app and the store have agreed.
    override open var productIdentifier: String {
        get { stored.productIdentifier }
        set { change(\.productIdentifier, to: newValue) }
    }

    /// The quantity to buy, 1 by default.
    ///
    /// A store sells 1 to 10 items at once, and only one of a product that can be restored; a payment for more fails. A
    /// queue traps if the quantity is less than 1.
    override open var quantity: Int {
        get { stored.quantity }
        set { change(\.quantity, to: newValue) }
    }

    /// Reserved data, nil by default.
    ///
    /// A payment that has request data fails with ``SKErrorCode/unauthorizedRequestData``.
    override open var requestData: Data? {
        get { stored.requestData }
        set { change(\.requestData, to: newValue) }
    }

    /// The app's own name for its user, which the store does not interpret; nil by default.
    ///
    /// If it is a UUID, it is returned as the transaction's account token. Any other string may be lost. Set it before
    /// the payment is added to a queue.
    override open var applicationUsername: String? {
        get { stored.applicationUsername }
        set { change(\.applicationUsername, to: newValue) }
    }

    /// Whether a sandbox defers the purchase until another person approves it; false by default.
    ///
    /// Other stores ignore it, and so does the store of a test session.
    override open var simulatesAskToBuyInSandbox: Bool {
        get { stored.simulatesAskToBuyInSandbox }
        set { change(\.simulatesAskToBuyInSandbox, to: newValue) }
    }

    /// A signed promotional offer, nil by default.
    ///
    /// Setting it copies the offer's properties.
    override open var paymentDiscount: SKPaymentDiscount? {
        get { stored.discount.map(SKPaymentDiscount.init) }
        set { change(\.discount, to: newValue?.value) }
    }
}
