import StoreCore
import StoreKit

/// A call of Store Kit 2 that a test session can make fail, see `SKTestSession.setSimulatedError(_:forAPI:)`.
///
/// A session accepts only the types of this module.
public protocol FailableStoreKitAPI<Failure>: Sendable {
    /// The failures that can be simulated.
    associatedtype Failure: SKTestFailure
}

/// A ``FailableStoreKitAPI`` of this module, which knows the call that it names.
protocol SimulatedAPI: FailableStoreKitAPI where Failure: SimulatedFailure {
    static var call: SimulatedCall { get }
}

/// The look-up of products: `Product.products(for:)`.
public struct StoreKitLoadProductsAPI: SimulatedAPI {
    /// The failures that can be simulated.
    public typealias Failure = SKTestFailures.LoadProducts
    static let call = SimulatedCall.loadProducts
    /// Creates a value that names the call.
    public init() {}
}

/// A purchase: `Product.purchase(options:)`.
public struct StoreKitPurchaseAPI: SimulatedAPI {
    /// The failures that can be simulated.
    public typealias Failure = SKTestFailures.Purchase
    static let call = SimulatedCall.purchase
    /// Creates a value that names the call.
    public init() {}
}

/// The verification of signed values: all of them become unverified.
public struct StoreKitVerificationAPI: SimulatedAPI {
    /// The failures that can be simulated.
    public typealias Failure = SKTestFailures.Verification
    static let call = SimulatedCall.verification
    /// Creates a value that names the verification.
    public init() {}
}

/// The synchronization with the store: `AppStore.sync()`.
public struct StoreKitAppStoreSyncAPI: SimulatedAPI {
    /// The failures that can be simulated.
    public typealias Failure = SKTestFailures.AppStoreSync
    static let call = SimulatedCall.appStoreSync
    /// Creates a value that names the call.
    public init() {}
}

/// The status of subscriptions: `Product.SubscriptionInfo.status(for:)` and related calls.
///
/// While a failure is simulated, calls that cannot throw return no status.
public struct StoreKitSubscriptionStatusAPI: SimulatedAPI {
    /// The failures that can be simulated.
    public typealias Failure = SKTestFailures.SubscriptionStatus
    static let call = SimulatedCall.subscriptionStatus
    /// Creates a value that names the call.
    public init() {}
}

/// The app's own transaction: `AppTransaction.shared` and `AppTransaction.refresh()`.
public struct StoreKitAppTransactionAPI: SimulatedAPI {
    /// The failures that can be simulated.
    public typealias Failure = SKTestFailures.AppTransaction
    static let call = SimulatedCall.appTransaction
    /// Creates a value that names the call.
    public init() {}
}

/// The sheet in which the user manages subscriptions.
///
/// This library has no such sheet: a session stores the error, and nothing throws it.
public struct StoreKitManageSubscriptionsAPI: SimulatedAPI {
    /// The failures that can be simulated.
    public typealias Failure = SKTestFailures.ManageSubscriptions
    static let call = SimulatedCall.manageSubscriptions
    /// Creates a value that names the sheet.
    public init() {}
}

/// A request for a refund: `Transaction.beginRefundRequest(for:)`.
public struct StoreKitRefundRequestAPI: SimulatedAPI {
    /// The failures that can be simulated.
    public typealias Failure = SKTestFailures.RefundRequest
    static let call = SimulatedCall.refundRequest
    /// Creates a value that names the call.
    public init() {}
}

/// The sheet in which the user redeems an offer code: `AppStore.presentOfferCodeRedeemSheet(options:)`.
///
/// The sheet of Store Kit 1, `SKPaymentQueue.presentCodeRedemptionSheet()`, reports no errors and is not affected.
public struct StoreKitOfferCodeRedeemAPI: SimulatedAPI {
    /// The failures that can be simulated.
    public typealias Failure = SKTestFailures.OfferCodeRedeem
    static let call = SimulatedCall.offerCodeRedeem
    /// Creates a value that names the sheet.
    public init() {}
}

// Short names, so that an argument can be written as `.loadProducts`.
extension FailableStoreKitAPI where Self == StoreKitLoadProductsAPI {
    /// The look-up of products.
    public static var loadProducts: StoreKitLoadProductsAPI { StoreKitLoadProductsAPI() }
}

extension FailableStoreKitAPI where Self == StoreKitPurchaseAPI {
    /// A purchase.
    public static var purchase: StoreKitPurchaseAPI { StoreKitPurchaseAPI() }
}

extension FailableStoreKitAPI where Self == StoreKitVerificationAPI {
    /// The verification of signed values.
    public static var verification: StoreKitVerificationAPI { StoreKitVerificationAPI() }
}

extension FailableStoreKitAPI where Self == StoreKitAppStoreSyncAPI {
    /// The synchronization with the store.
    public static var appStoreSync: StoreKitAppStoreSyncAPI { StoreKitAppStoreSyncAPI() }
}

extension FailableStoreKitAPI where Self == StoreKitSubscriptionStatusAPI {
    /// The status of subscriptions.
    public static var subscriptionStatus: StoreKitSubscriptionStatusAPI { StoreKitSubscriptionStatusAPI() }
}

extension FailableStoreKitAPI where Self == StoreKitAppTransactionAPI {
    /// The app's own transaction.
    public static var appTransaction: StoreKitAppTransactionAPI { StoreKitAppTransactionAPI() }
}

extension FailableStoreKitAPI where Self == StoreKitManageSubscriptionsAPI {
    /// The sheet in which the user manages subscriptions, which this library does not have.
    public static var manageSubscriptions: StoreKitManageSubscriptionsAPI { StoreKitManageSubscriptionsAPI() }
}

extension FailableStoreKitAPI where Self == StoreKitRefundRequestAPI {
    /// A request for a refund.
    public static var refundRequest: StoreKitRefundRequestAPI { StoreKitRefundRequestAPI() }
}

extension FailableStoreKitAPI where Self == StoreKitOfferCodeRedeemAPI {
    /// The sheet in which the user redeems an offer code.
    public static var offerCodeRedeem: StoreKitOfferCodeRedeemAPI { StoreKitOfferCodeRedeemAPI() }
}
