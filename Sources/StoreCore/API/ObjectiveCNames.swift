// Objective-C names, as documented in 2009, that Swift hides or changes. They are for code that uses them.

extension SKPayment {
    /// Creates a payment for one unit of a product.
    ///
    /// This is the Objective-C name of ``init(product:)``.
    public class func paymentWithProduct(_ product: SKProduct) -> Self {
        payment(withProductIdentifier: product.productIdentifier)
    }

    /// Creates a payment for one unit of a product, by the product's identifier.
    ///
    /// This is the Objective-C name of ``payment(withProductIdentifier:)``.
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
