import Foundation

/// A request to buy a quantity of one product.
///
/// A plain payment is immutable, for a quantity of one; use an ``SKMutablePayment`` for more. Two payments are equal if
/// all their properties are, mutable or not.
///
/// Not `Sendable`: pass a payment to the queue on the thread that created it. The queue copies what it needs.
open class SKPayment: KeyValueObject, NSCopying, NSMutableCopying {
    // The only stored property: hundreds of thousands of payments may wait in memory.
    final var stored: StorePayment

    /// Creates an empty payment, to be filled in by a subclass.
    ///
    /// Adding it to a queue as it is traps.
    public override init() {
        stored = .empty
        super.init()
    }

    /// Creates a payment for one unit of a product, of which it takes only the identifier.
    public convenience init(product: SKProduct) {
        self.init()
        stored = StorePayment(productIdentifier: product.productIdentifier)
    }

    /// Creates a payment for a product that the app knows by its identifier.
    ///
    /// Not part of Apple's Store Kit: it is for tests, and for apps that need no description of what they sell.
    public convenience init(productIdentifier: String, quantity: Int = 1) {
        self.init()
        stored = StorePayment(productIdentifier: productIdentifier, quantity: quantity)
    }

    convenience init(_ value: StorePayment) {
        self.init()
        stored = value
        // A payment that an app adds is a Store Kit 1 order, even if it comes from a Store Kit 2 transaction.
        if value.isStoreKit2 { stored.isStoreKit2 = false }
    }

    /// Creates a payment for one unit of a product that the app knows by its identifier.
    ///
    /// On ``SKMutablePayment`` it creates a mutable payment. Any other subclass must override it; otherwise it traps,
    /// because a class cannot be instantiated here from its name alone.
    open class func payment(withProductIdentifier identifier: String) -> Self {
        guard let payment = SKPayment(productIdentifier: identifier) as? Self else {
            fatalError("\(Self.self) must override payment(withProductIdentifier:) to be made by it")
        }
        return payment
    }

    /// The product's identifier, as agreed with the store.
    open var productIdentifier: String { stored.productIdentifier }

    /// The quantity to buy, 1 by default.
    ///
    /// A store sells 1...10; a queue traps on less than 1.
    open var quantity: Int { stored.quantity }

    /// Reserved data, nil by default.
    ///
    /// A store rejects a payment that carries it.
    open var requestData: Data? { stored.requestData }

    /// The app's own name for its user, nil by default; opaque to the store.
    ///
    /// A UUID string comes back as the transaction's account token. Any other string may be lost between the payment
    /// and its transaction.
    open var applicationUsername: String? { stored.applicationUsername }

    /// Whether a sandbox defers the purchase until another person approves it, false by default.
    ///
    /// Has no effect elsewhere.
    open var simulatesAskToBuyInSandbox: Bool { stored.simulatesAskToBuyInSandbox }

    /// A signed promotional offer, nil by default.
    ///
    /// Each read returns a new object, equal to the others.
    open var paymentDiscount: SKPaymentDiscount? { stored.discount.map(SKPaymentDiscount.init) }

    /// Changes one property by replacing the whole value, because in-place access would be checked at every use.
    final func change<Part>(_ part: WritableKeyPath<StorePayment, Part>, to value: Part) {
        var changed = stored
        changed[keyPath: part] = value
        stored = changed
    }

    /// The value that a queue sends, read through the getters if a subclass may have overridden them.
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

    /// Returns an immutable payment equal to this one: the payment itself if it is immutable and not of a subclass.
    open func copy(with zone: NSZone? = nil) -> Any {
        type(of: self) == SKPayment.self ? self : SKPayment(value)
    }

    /// Returns an ``SKMutablePayment`` equal to this one.
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
    /// Sets a property of an ``SKMutablePayment`` by its name, or throws if it cannot be set.
    ///
    /// - Throws: `SKError.clientInvalid` for an immutable payment, for an unknown name, and for a value of another
    ///   type. The payment stays unchanged.
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
