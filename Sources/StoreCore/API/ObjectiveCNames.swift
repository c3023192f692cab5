// Objective-C names of Store Kit's documents of 2009 that Swift hides or changes, for code written after them.

extension SKPayment {
    /// Creates a payment for one unit of a product.
    ///
    /// The Objective-C name of ``init(product:)``.
    public class func paymentWithProduct(_ product: SKProduct) -> Self {
        payment(withProductIdentifier: product.productIdentifier)
    }

    /// Creates a payment for one unit of a product that the app knows by its identifier.
    ///
    /// The Objective-C name of ``payment(withProductIdentifier:)``.
    public class func paymentWithProductIdentifier(_ identifier: String) -> Self {
        payment(withProductIdentifier: identifier)
    }
}

/// The Objective-C name of ``SKErrorCode/unknown``.
public let SKErrorUnknown = SKError.Code.unknown
/// The Objective-C name of ``SKErrorCode/clientInvalid``.
public let SKErrorClientInvalid = SKError.Code.clientInvalid
/// The Objective-C name of ``SKErrorCode/paymentCancelled``.
public let SKErrorPaymentCancelled = SKError.Code.paymentCancelled
/// The Objective-C name of ``SKErrorCode/paymentInvalid``.
public let SKErrorPaymentInvalid = SKError.Code.paymentInvalid
/// The Objective-C name of ``SKErrorCode/paymentNotAllowed``.
public let SKErrorPaymentNotAllowed = SKError.Code.paymentNotAllowed

/// The Objective-C name of ``SKPaymentTransactionState/purchasing``.
public let SKPaymentTransactionStatePurchasing = SKPaymentTransactionState.purchasing
/// The Objective-C name of ``SKPaymentTransactionState/purchased``.
public let SKPaymentTransactionStatePurchased = SKPaymentTransactionState.purchased
/// The Objective-C name of ``SKPaymentTransactionState/failed``.
public let SKPaymentTransactionStateFailed = SKPaymentTransactionState.failed
/// The Objective-C name of ``SKPaymentTransactionState/restored``.
public let SKPaymentTransactionStateRestored = SKPaymentTransactionState.restored

// Enumerations that later versions of Store Kit may add to. Objective-C's are open; these are as open as Swift's can be. Each has
// a case that nobody can name or create, so that the compiler does not say of a `default` after all others that it is never
// executed. They were C's once: a C module of the package is seen only by targets that depend on it, and everybody else in
// the same graph who wrote `#if canImport(StoreKit)` failed to build.

/// What has become of a payment.
///
/// Later versions may add states: a `switch` needs `@unknown default`.
@nonexhaustive(warn)
public enum SKPaymentTransactionState: Int, Sendable {
    /// The store is working on it.
    case purchasing = 0
    /// Paid for: the app should deliver, then finish the transaction.
    case purchased = 1
    /// Refused, see ``SKPaymentTransaction/error``.
    case failed = 2
    /// Brings back something bought earlier, see ``SKPaymentTransaction/original``.
    case restored = 3
    /// Waits for somebody else's decision, such as a parent's.
    case deferred = 4
    /// Reserved for cases of later versions; never a value.
    @available(*, unavailable) case _later = 999
}

/// The units in which a subscription counts time.
///
/// Later versions may add units.
@nonexhaustive(warn)
public enum SKProductPeriodUnit: UInt, Sendable {
    /// A day.
    case day = 0
    /// A week of seven days.
    case week = 1
    /// A month of the calendar.
    case month = 2
    /// A year of the calendar.
    case year = 3
    /// Reserved for cases of later versions; never a value.
    @available(*, unavailable) case _later = 999
}

/// The ways in which a reduced price is paid.
///
/// Later versions may add ways.
@nonexhaustive(warn)
public enum SKProductDiscountPaymentMode: UInt, Sendable {
    /// The price, every period.
    case payAsYouGo = 0
    /// The price, once.
    case payUpFront = 1
    /// Nothing; the price is 0.
    case freeTrial = 2
    /// Reserved for cases of later versions; never a value.
    @available(*, unavailable) case _later = 999
}

/// The kinds of users that an offer is for.
///
/// Later versions may add kinds.
@nonexhaustive(warn)
public enum SKProductDiscountType: UInt, Sendable {
    /// For users who subscribe for the first time.
    case introductory = 0
    /// A promotional offer, for users who subscribe or have subscribed.
    case subscription = 1
    /// Reserved for cases of later versions; never a value.
    @available(*, unavailable) case _later = 999
}

extension SKProduct {
    /// The units in which a subscription counts time.
    public typealias PeriodUnit = SKProductPeriodUnit
}

extension SKProductDiscount {
    /// The ways in which a reduced price is paid.
    public typealias PaymentMode = SKProductDiscountPaymentMode
    /// The kinds of users that an offer is for.
    public typealias `Type` = SKProductDiscountType
}
