import StoreKit

// Store libraries have public types of these names, as StoreCore does.

/// A product as this module knows it.
public struct StoreProduct: Sendable, Equatable {
    /// What the store calls it.
    public let identifier: String

    init(_ product: SKProduct) { identifier = product.productIdentifier }
}

/// A transaction as this module knows it.
public struct StoreTransaction: Sendable, Equatable {
    /// What was bought.
    public let product: String

    /// Takes over what Store Kit says.
    public init(_ transaction: SKPaymentTransaction) { product = transaction.payment.productIdentifier }
}

/// Something that happened to a transaction.
public enum Activity: Sendable, Equatable {
    /// It is paid for.
    case bought(StoreTransaction)
    /// Its receipt is wrong.
    case refused(StoreTransaction, ReceiptError)
}

/// What can be wrong with a receipt.
public enum ReceiptError: Error {
    /// There is none.
    case missing
}

/// All that happened, in order.
public struct Ledger: Sendable, Equatable {
    /// What happened, oldest first.
    public private(set) var activities: [Activity] = []

    /// An empty ledger.
    public init() {}

    /// Adds something at the end.
    public mutating func append(_ activity: Activity) { activities.append(activity) }
}
