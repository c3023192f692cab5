import StoreKit

// Compiles, and so shows that a client's subclass of each class may have stored properties and initializers that leave
// `super.init()` to be implied. Swift implies it only while a class has no other designated initializer, so ours have
// those of Apple's and no more.

class MarkedPayment: SKPayment {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

class MarkedMutablePayment: SKMutablePayment {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

class MarkedProduct: SKProduct, @unchecked Sendable {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

class MarkedProductDiscount: SKProductDiscount, @unchecked Sendable {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

class MarkedPeriod: SKProductSubscriptionPeriod, @unchecked Sendable {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

class MarkedResponse: SKProductsResponse, @unchecked Sendable {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

class MarkedStorefront: SKStorefront, @unchecked Sendable {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

class MarkedDownload: SKDownload, @unchecked Sendable {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

class MarkedTransaction: SKPaymentTransaction, @unchecked Sendable {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

class MarkedQueue: SKPaymentQueue, @unchecked Sendable {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

class MarkedRequest: SKRequest {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

class MarkedPromotions: SKProductStorePromotionController {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

class MarkedReviews: SKStoreReviewController, @unchecked Sendable {
    let mark: Int
    override init() { mark = 1 }
    init(mark: Int) { self.mark = mark }
}

// These three have a second designated initializer in Apple's Store Kit too.

class MarkedProductsRequest: SKProductsRequest {
    let mark: Int
    override init() {
        mark = 1
        super.init()
    }
    init(mark: Int) {
        self.mark = mark
        super.init(productIdentifiers: [])
    }
}

class MarkedRefreshRequest: SKReceiptRefreshRequest {
    let mark: Int
    override init() {
        mark = 1
        super.init()
    }
    init(mark: Int) {
        self.mark = mark
        super.init(receiptProperties: nil)
    }
}

class MarkedPaymentDiscount: SKPaymentDiscount, @unchecked Sendable {
    let mark: Int
    override init() {
        mark = 1
        super.init()
    }
    init(mark: Int) {
        self.mark = mark
        super.init(identifier: "", keyIdentifier: "", nonce: UUID(), signature: "", timestamp: 0)
    }
}

// Without initializers of its own a subclass has those of its superclass.

class PlainTransaction: SKPaymentTransaction, @unchecked Sendable {}
class PlainQueue: SKPaymentQueue, @unchecked Sendable {}
class PlainRequest: SKRequest {}
class PlainReviews: SKStoreReviewController, @unchecked Sendable {}

func useSubclasses(_ product: SKProduct) {
    let _: [NSObject] = [
        MarkedPayment(), MarkedMutablePayment(), MarkedProduct(), MarkedProductDiscount(), MarkedPeriod(),
        MarkedResponse(), MarkedStorefront(), MarkedDownload(), MarkedTransaction(), MarkedQueue(), MarkedRequest(),
        MarkedPromotions(), MarkedReviews(), MarkedProductsRequest(), MarkedRefreshRequest(), MarkedPaymentDiscount(),
        PlainTransaction(), PlainQueue(), PlainRequest(), PlainReviews(),
    ]
    // A subclass that overrides the designated initializers keeps the others.
    let _: [SKPayment] = [MarkedPayment(product: product), MarkedMutablePayment(product: product)]
}
