import Foundation

/// A request to buy a quantity of one product.
///
/// A plain payment is for a quantity of one and cannot be changed; use an ``SKMutablePayment`` for more. Two payments
/// are equal when all that they ask for is equal, mutable or not.
///
/// Not `Sendable`: hand a payment to the queue on the thread that made it. The queue copies what it needs.
open class SKPayment: NSObject, NSCopying, NSMutableCopying {
    // The one stored property: a payment waits in memory by the hundred thousand.
    final var stored: StorePayment

    /// An empty payment, to be filled in by a subclass.
    ///
    /// A queue stops the process rather than sell it.
    public override init() {
        stored = .empty
        super.init()
    }

    /// A payment for one of a product: takes over its identifier, and nothing else.
    public convenience init(product: SKProduct) {
        self.init()
        stored = StorePayment(productIdentifier: product.productIdentifier)
    }

    /// A payment for a product that the app knows by its identifier.
    ///
    /// Not part of Apple's Store Kit: it is for tests, and for apps that need no description of what they sell.
    public convenience init(productIdentifier: String, quantity: Int = 1) {
        self.init()
        stored = StorePayment(productIdentifier: productIdentifier, quantity: quantity)
    }

    convenience init(_ value: StorePayment) {
        self.init()
        stored = value
    }

    /// Makes a payment for one of a product that the app knows by its identifier.
    ///
    /// On ``SKMutablePayment`` it makes a mutable payment. Any other subclass has to override it; the process stops
    /// otherwise, since a class cannot be made here from its name alone.
    open class func payment(withProductIdentifier identifier: String) -> Self {
        guard let payment = SKPayment(productIdentifier: identifier) as? Self else {
            fatalError("\(Self.self) must override payment(withProductIdentifier:) to be made by it")
        }
        return payment
    }

    /// The product, under the identifier agreed with the store.
    open var productIdentifier: String { stored.productIdentifier }

    /// How many are wanted, 1 unless changed.
    ///
    /// A store sells 1...10; a queue stops the process at less than 1.
    open var quantity: Int { stored.quantity }

    /// Reserved, nil by default.
    ///
    /// A store refuses a payment that carries it.
    open var requestData: Data? { stored.requestData }

    /// The app's own name for its user, nil by default; opaque to the store.
    ///
    /// A UUID string comes back as the transaction's account token. Anything else need not survive from the payment to
    /// its transaction.
    open var applicationUsername: String? { stored.applicationUsername }

    /// Asks a sandbox to wait for somebody else's permission, false by default.
    ///
    /// Has no effect elsewhere.
    open var simulatesAskToBuyInSandbox: Bool { stored.simulatesAskToBuyInSandbox }

    /// A signed promotional offer, nil by default.
    ///
    /// Each reading gives an object of its own, equal to the others.
    open var paymentDiscount: SKPaymentDiscount? { stored.discount.map(SKPaymentDiscount.init) }

    /// Puts a changed value in the place of the one there is: an access in place would be checked at every use.
    final func change<Part>(_ part: WritableKeyPath<StorePayment, Part>, to value: Part) {
        var changed = stored
        changed[keyPath: part] = value
        stored = changed
    }

    /// What a queue sells: read through the getters where a subclass may have overridden them.
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

    /// An immutable payment equal to this one: itself, if it is one and of no subclass.
    open func copy(with zone: NSZone? = nil) -> Any {
        type(of: self) == SKPayment.self ? self : SKPayment(value)
    }

    /// An ``SKMutablePayment`` equal to this one.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { SKMutablePayment(value) }

    /// Whether the other object is a payment that asks for the same.
    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SKPayment else { return false }
        return other === self || other.value == value
    }

    /// A hash of what is asked for.
    override open var hash: Int { value.hashValue }

    #if canImport(ObjectiveC)
        override open func setValue(_ value: Any?, forKey key: String) {
            if let mistake = change(to: value, forKey: key) { fatalError(mistake) }
        }
        override open func value(forKey key: String) -> Any? { read(key, in: Self.keys) }
    #else
        /// Changes a property of an ``SKMutablePayment`` by its name.
        ///
        /// Any other payment cannot be changed: that stops the process with a sentence, and so does a name that is not a
        /// property's, or a value of another type. ``setValueThrowing(_:forKey:)`` throws instead.
        open func setValue(_ value: Any?, forKey key: String) {
            if let mistake = change(to: value, forKey: key) { fatalError(mistake) }
        }
        /// A property by its name.
        ///
        /// A name that is not a property's stops the process.
        open func value(forKey key: String) -> Any? { read(key, in: Self.keys) }
    #endif
}

extension SKPayment: KeyValueCoded {
    /// Changes a property of an ``SKMutablePayment`` by its name, or throws what is wrong with that.
    ///
    /// - Throws: `SKError.clientInvalid` for a payment that is not mutable, for a name that is not a property's, and for a
    ///   value of another type. The payment stays as it is.
    public func setValueThrowing(_ value: Any?, forKey key: String) throws {
        if let mistake = change(to: value, forKey: key) { throw StoreFailure.storeKit(.clientInvalid, mistake).error }
    }

    private func change(to value: Any?, forKey key: String) -> String? {
        guard self is SKMutablePayment else {
            return "\(type(of: self)) cannot be changed; set \"\(key)\" on an SKMutablePayment"
        }
        return change(to: value, key, in: Self.keys)
    }

    private static let keys: [String: KeyedProperty<SKPayment>] = [
        "productIdentifier": KeyedProperty(\.productIdentifier, .text) { $0.change(\.productIdentifier, to: $1) },
        "quantity": KeyedProperty(\.quantity, .integer) { $0.change(\.quantity, to: $1) },
        "requestData": KeyedProperty(\.requestData, KeyedKind<Data>.cast("a Data").optional) {
            $0.change(\.requestData, to: $1)
        },
        "applicationUsername": KeyedProperty(\.applicationUsername, KeyedKind<String>.text.optional) {
            $0.change(\.applicationUsername, to: $1)
        },
        "simulatesAskToBuyInSandbox": KeyedProperty(\.simulatesAskToBuyInSandbox, .flag) {
            $0.change(\.simulatesAskToBuyInSandbox, to: $1)
        },
        "paymentDiscount": KeyedProperty(
            \.paymentDiscount,
            KeyedKind<SKPaymentDiscount>.cast("an SKPaymentDiscount").optional
        ) { $0.change(\.discount, to: $1?.value) },
    ]
}
