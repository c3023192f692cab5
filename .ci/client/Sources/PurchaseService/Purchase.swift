import StoreKit

/// Something that was bought, and that the receipt vouches for.
public struct Purchase: Equatable {
    /// What was bought.
    public let productIdentifier: String
    /// Under which number.
    public let transactionIdentifier: String

    init(_ transaction: SKPaymentTransaction) {
        productIdentifier = transaction.payment.productIdentifier
        transactionIdentifier = transaction.transactionIdentifier ?? ""
    }
}

/// Why there is no purchase.
public enum PurchaseError: Error {
    /// The user may not buy anything.
    case notAllowed
    /// The user changed their mind.
    case cancelled
    /// Somebody has to approve of it; if they do, it comes as an update.
    case waitingForApproval
    /// The store does not sell these.
    case unknownProducts([String])
    /// The receipt cannot be trusted; the purchase will come again at the next launch.
    case receipt(Error)
    /// There is no receipt, or it does not list the purchase, which will come again at the next launch.
    case notInReceipt
    /// The store, or the way there.
    case store(Error)

    init(_ error: Error?) {
        if let error = error as? SKError, error.code == .paymentCancelled {
            self = .cancelled
        } else {
            self = .store(error ?? SKError(.unknown))
        }
    }
}
