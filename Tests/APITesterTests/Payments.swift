import StoreKit

// Compiles, and so shows that what a client may write about payments compiles. `use` calls nothing; it names things.

final class ClientPayment: SKPayment {
    override init() { super.init() }
    override class func payment(withProductIdentifier identifier: String) -> Self {
        guard let payment = ClientPayment() as? Self else { fatalError("not a ClientPayment") }
        return payment
    }
    override var productIdentifier: String { "coins.100" }
    override var quantity: Int { 3 }
    override var requestData: Data? { nil }
    override var applicationUsername: String? { "somebody" }
    override var simulatesAskToBuyInSandbox: Bool { true }
    override var paymentDiscount: SKPaymentDiscount? { nil }
    override func copy(with zone: NSZone? = nil) -> Any { self }
    override func mutableCopy(with zone: NSZone? = nil) -> Any { super.mutableCopy(with: zone) }
    override func isEqual(_ object: Any?) -> Bool { super.isEqual(object) }
    override var hash: Int { super.hash }
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
    override func value(forKey key: String) -> Any? { super.value(forKey: key) }
}

class ClientMutablePayment: SKMutablePayment {
    let mark: Int
    override init() {
        mark = 0
        super.init()
    }
    init(mark: Int) {
        self.mark = mark
        super.init()
    }
    override class func payment(withProductIdentifier identifier: String) -> Self {
        super.payment(withProductIdentifier: identifier)
    }
    override var productIdentifier: String { didSet {} }
    override var quantity: Int {
        get { super.quantity }
        set { super.quantity = newValue }
    }
    override var requestData: Data? { didSet {} }
    override var applicationUsername: String? { didSet {} }
    override var simulatesAskToBuyInSandbox: Bool { didSet {} }
    override var paymentDiscount: SKPaymentDiscount? { didSet {} }
}

class ClientDiscount: SKPaymentDiscount, @unchecked Sendable {
    override init() { super.init() }
    override init(identifier: String, keyIdentifier: String, nonce: UUID, signature: String, timestamp: NSNumber) {
        super.init(
            identifier: identifier,
            keyIdentifier: keyIdentifier,
            nonce: nonce,
            signature: signature,
            timestamp: timestamp
        )
    }
    override var identifier: String { super.identifier }
    override var keyIdentifier: String { super.keyIdentifier }
    override var nonce: UUID { super.nonce }
    override var signature: String { super.signature }
    override var timestamp: NSNumber { super.timestamp }
}

class PlainPayment: SKPayment {}

func usePayments(product: SKProduct) throws {
    let payment = SKPayment(product: product)
    let _: String = payment.productIdentifier
    let _: Int = payment.quantity
    let _: Data? = payment.requestData
    let _: String? = payment.applicationUsername
    let _: Bool = payment.simulatesAskToBuyInSandbox
    let _: SKPaymentDiscount? = payment.paymentDiscount
    let _: any NSCopying & NSMutableCopying = payment
    let copy = payment.copy() as! SKPayment
    let mutable = copy.mutableCopy() as! SKMutablePayment
    mutable.quantity += 1
    mutable.productIdentifier = "coins.200"
    mutable.requestData = Data()
    mutable.applicationUsername = UUID().uuidString
    mutable.simulatesAskToBuyInSandbox = true
    mutable.paymentDiscount = SKPaymentDiscount(
        identifier: "offer",
        keyIdentifier: "key",
        nonce: UUID(),
        signature: "signature",
        timestamp: NSNumber(value: 1_700_000_000_000)
    )
    let _: SKMutablePayment = SKMutablePayment(product: product)
    let _: SKMutablePayment = SKMutablePayment()
    SKMutablePayment.payment(withProductIdentifier: "coins.100").quantity = 2
    let _: SKPayment = SKPayment.payment(withProductIdentifier: "coins.100")
    let _: SKMutablePayment = .paymentWithProduct(product)
    SKMutablePayment.paymentWithProductIdentifier("coins.100").quantity = 2
    let _: PlainPayment = PlainPayment(product: product)
    let _: PlainPayment = PlainPayment()
    let _: ClientMutablePayment = ClientMutablePayment(mark: 1)
    let _: Bool = payment == mutable
    let _: Set<SKPayment> = [payment, mutable]
    mutable.setValue(2, forKey: "quantity")
    let _: Any? = payment.value(forKeyPath: "paymentDiscount")
    mutable.setValue("coins.300", forKeyPath: "productIdentifier")

    let discount = SKPaymentDiscount()
    let _: (String, String, UUID, String, NSNumber) = (
        discount.identifier, discount.keyIdentifier, discount.nonce, discount.signature, discount.timestamp
    )
}
