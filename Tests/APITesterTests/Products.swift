import StoreKit

// Compiles, and so shows that what a client may write about products compiles.

class ClientProduct: SKProduct, @unchecked Sendable {
    private let identifier: String
    init(productIdentifier: String) {
        identifier = productIdentifier
        super.init()
    }
    override init() {
        identifier = ""
        super.init()
    }
    override var productIdentifier: String { identifier }
    override var localizedTitle: String { "Title" }
    override var localizedDescription: String { "Description" }
    override var price: NSDecimalNumber { NSDecimalNumber(string: "0.99") }
    override var priceLocale: Locale { Locale(identifier: "en_US") }
    override var subscriptionPeriod: SKProductSubscriptionPeriod? { nil }
    override var subscriptionGroupIdentifier: String? { nil }
    override var introductoryPrice: SKProductDiscount? { nil }
    override var discounts: [SKProductDiscount] { [] }
    override var isFamilyShareable: Bool { true }
    override var isDownloadable: Bool { false }
    override var downloadable: Bool { false }
    override var downloadContentLengths: [NSNumber] { [] }
    override var downloadContentVersion: String { "" }
    override var contentLengths: [NSNumber] { [] }
    override var contentVersion: String { "" }
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
    override func value(forKey key: String) -> Any? { super.value(forKey: key) }
    override func isEqual(_ object: Any?) -> Bool { super.isEqual(object) }
}

class ClientProductDiscount: SKProductDiscount, @unchecked Sendable {
    override init() { super.init() }
    override var identifier: String? { nil }
    override var type: SKProductDiscount.`Type` { .introductory }
    override var price: NSDecimalNumber { 0 }
    override var priceLocale: Locale { Locale.current }
    override var paymentMode: SKProductDiscount.PaymentMode { .freeTrial }
    override var numberOfPeriods: Int { 1 }
    override var subscriptionPeriod: SKProductSubscriptionPeriod { ClientPeriod() }
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
    override func value(forKey key: String) -> Any? { super.value(forKey: key) }
}

class ClientPeriod: SKProductSubscriptionPeriod, @unchecked Sendable {
    private let units: Int
    init(units: Int = 1) {
        self.units = units
        super.init()
    }
    override var numberOfUnits: Int { units }
    override var unit: SKProduct.PeriodUnit { .month }
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
    override func value(forKey key: String) -> Any? { super.value(forKey: key) }
}

class ClientResponse: SKProductsResponse, @unchecked Sendable {
    override init() { super.init() }
    override var products: [SKProduct] { [ClientProduct()] }
    override var invalidProductIdentifiers: [String] { ["nothing"] }
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
    override func value(forKey key: String) -> Any? { super.value(forKey: key) }
}

class ClientStorefront: SKStorefront, @unchecked Sendable {
    override init() { super.init() }
    override var countryCode: String { "DEU" }
    override var identifier: String { "143443" }
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
    override func value(forKey key: String) -> Any? { super.value(forKey: key) }
}

class ClientPromotions: SKProductStorePromotionController {
    override init() { super.init() }
    override class func `default`() -> Self { super.default() }
    override func fetchStorePromotionOrder(completionHandler: (([SKProduct], (any Error)?) -> Void)? = nil) {
        super.fetchStorePromotionOrder(completionHandler: completionHandler)
    }
    override func update(
        storePromotionOrder promotionOrder: [SKProduct],
        completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        super.update(storePromotionOrder: promotionOrder, completionHandler: completionHandler)
    }
    override func fetchStorePromotionVisibility(
        for product: SKProduct,
        completionHandler: ((SKProductStorePromotionVisibility, (any Error)?) -> Void)? = nil
    ) {
        super.fetchStorePromotionVisibility(for: product, completionHandler: completionHandler)
    }
    override func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility,
        for product: SKProduct,
        completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        super.update(storePromotionVisibility: promotionVisibility, for: product, completionHandler: completionHandler)
    }
    override func promotionOrder() async throws -> [SKProduct] { try await super.promotionOrder() }
    override func update(promotionOrder: [SKProduct]) async throws {
        try await super.update(promotionOrder: promotionOrder)
    }
    override func promotionVisibility(for product: SKProduct) async throws -> SKProductStorePromotionVisibility {
        try await super.promotionVisibility(for: product)
    }
    override func update(promotionVisibility: SKProductStorePromotionVisibility, for product: SKProduct) async throws {
        try await super.update(promotionVisibility: promotionVisibility, for: product)
    }
}

// Apps put protocols of their own over the classes.
protocol ProductType {
    var productIdentifier: String { get }
    var localizedTitle: String { get }
    var localizedDescription: String { get }
    var price: NSDecimalNumber { get }
    var priceLocale: Locale { get }
    var introductoryPrice: SKProductDiscount? { get }
    var subscriptionPeriod: SKProductSubscriptionPeriod? { get }
}
extension SKProduct: ProductType {}

extension SKProduct {
    var localizedPrice: String? {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = priceLocale
        return formatter.string(from: price)
    }
}

func useProducts() {
    let product = ClientProduct(productIdentifier: "coins.100")
    product.setValue(NSDecimalNumber(string: "1.99"), forKey: "price")
    let plain = SKProduct()
    plain.setValue("coins.100", forKey: "productIdentifier")
    plain.setValue(Locale(identifier: "de_DE"), forKey: "priceLocale")
    plain.setValue(2, forKeyPath: "subscriptionPeriod.numberOfUnits")
    let _: Any? = plain.value(forKeyPath: "subscriptionPeriod.numberOfUnits")
    let _: String? = plain.localizedPrice
    let _: any Sendable = plain
    let _: any Sendable = SKProductsResponse()
    let _: any Sendable = SKStorefront()
    let _: any Sendable = SKProductDiscount()
    let _: any Sendable = SKProductSubscriptionPeriod()
    let _: any Sendable = SKPaymentDiscount()
    let _: (String, String) = (SKStorefront().countryCode, SKStorefront().identifier)
    let response = SKProductsResponse(products: [plain], invalidProductIdentifiers: ["nothing"])
    let _: ([SKProduct], [String]) = (response.products, response.invalidProductIdentifiers)
    let _: (String, [NSNumber]) = (plain.contentVersion, plain.contentLengths)
    let _: (Bool, Bool, Bool) = (plain.downloadable, plain.isDownloadable, plain.isFamilyShareable)
    let _: (String, [NSNumber]) = (plain.downloadContentVersion, plain.downloadContentLengths)
}

@MainActor
func usePromotions(_ controller: SKProductStorePromotionController, _ product: SKProduct) async throws {
    controller.fetchStorePromotionOrder { products, error in print(products, error as Any) }
    controller.fetchStorePromotionOrder()
    controller.update(storePromotionOrder: [product])
    controller.update(storePromotionOrder: []) { print($0 as Any) }
    controller.fetchStorePromotionVisibility(for: product) { visibility, _ in print(visibility) }
    controller.update(storePromotionVisibility: .hide, for: product)
    controller.update(storePromotionVisibility: .hide, for: product) { error in print(error as Any) }
    let _: [SKProduct] = try await controller.promotionOrder()
    try await controller.update(promotionOrder: [product])
    let _: SKProductStorePromotionVisibility = try await controller.promotionVisibility(for: product)
    try await controller.update(promotionVisibility: .show, for: product)
    let _: [SKProduct] = try await SKProductStorePromotionController.default().promotionOrder()
    let _: SKProductStorePromotionController = SKProductStorePromotionController()
}
