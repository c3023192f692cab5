import Foundation
import StoreCore
import StoreKit

/// A failure that a test session simulates: one of ``SKTestFailures``.
public protocol SKTestFailure: Equatable, Sendable {}

/// An ``SKTestFailure`` that is created from, and converts to, the error that the app receives.
protocol SimulatedFailure: SKTestFailure {
    /// Creates the failure with an error; nil if no case can have the error.
    init?(_ error: any Error)
    /// The error that the app receives.
    var error: any Error { get }
}

/// The failures that a test session simulates, for each call.
public enum SKTestFailures {
    /// A failure of the look-up of products.
    public enum LoadProducts: SKTestFailure {
        /// An error of Store Kit 2.
        case generic(StoreKitError)
    }

    /// A failure of the synchronization with the store.
    public enum AppStoreSync: SKTestFailure {
        /// An error of Store Kit 2.
        case generic(StoreKitError)
    }

    /// A failure of the status of subscriptions.
    public enum SubscriptionStatus: SKTestFailure {
        /// An error of Store Kit 2.
        case generic(StoreKitError)
    }

    /// A failure of the app's own transaction.
    public enum AppTransaction: SKTestFailure {
        /// An error of Store Kit 2.
        case generic(StoreKitError)
    }

    /// A failure of the sheet that manages subscriptions.
    public enum ManageSubscriptions: SKTestFailure {
        /// An error of Store Kit 2.
        case generic(StoreKitError)
    }

    /// A failure of the sheet that redeems offer codes.
    public enum OfferCodeRedeem: SKTestFailure {
        /// An error of Store Kit 2.
        case generic(StoreKitError)
    }

    /// A failure of a purchase.
    public enum Purchase: SKTestFailure {
        /// An error of Store Kit 2.
        case generic(StoreKitError)
        /// The reason why the store refuses the purchase.
        case purchase(Product.PurchaseError)
    }

    /// A failure of a request for a refund.
    public enum RefundRequest: SKTestFailure {
        /// An error of Store Kit 2.
        case generic(StoreKitError)
        /// The reason why no refund is requested.
        case refundRequest(Transaction.RefundRequestError)
    }

    /// A failure of a verification.
    public enum Verification: SKTestFailure {
        /// The defect that all values signed by the store have.
        case verification(VerificationResult<Any>.VerificationError)
    }
}

extension SKTestFailures.LoadProducts: SimulatedFailure {
    /// Returns whether two failures have the same error.
    public static func == (left: Self, right: Self) -> Bool { areSame(left.error, right.error) }

    init?(_ error: any Error) {
        guard let error = error as? StoreKitError else { return nil }
        self = .generic(error)
    }

    var error: any Error {
        switch self {
        case .generic(let error): error
        }
    }
}

extension SKTestFailures.AppStoreSync: SimulatedFailure {
    /// Returns whether two failures have the same error.
    public static func == (left: Self, right: Self) -> Bool { areSame(left.error, right.error) }

    init?(_ error: any Error) {
        guard let error = error as? StoreKitError else { return nil }
        self = .generic(error)
    }

    var error: any Error {
        switch self {
        case .generic(let error): error
        }
    }
}

extension SKTestFailures.SubscriptionStatus: SimulatedFailure {
    /// Returns whether two failures have the same error.
    public static func == (left: Self, right: Self) -> Bool { areSame(left.error, right.error) }

    init?(_ error: any Error) {
        guard let error = error as? StoreKitError else { return nil }
        self = .generic(error)
    }

    var error: any Error {
        switch self {
        case .generic(let error): error
        }
    }
}

extension SKTestFailures.AppTransaction: SimulatedFailure {
    /// Returns whether two failures have the same error.
    public static func == (left: Self, right: Self) -> Bool { areSame(left.error, right.error) }

    init?(_ error: any Error) {
        guard let error = error as? StoreKitError else { return nil }
        self = .generic(error)
    }

    var error: any Error {
        switch self {
        case .generic(let error): error
        }
    }
}

extension SKTestFailures.ManageSubscriptions: SimulatedFailure {
    /// Returns whether two failures have the same error.
    public static func == (left: Self, right: Self) -> Bool { areSame(left.error, right.error) }

    init?(_ error: any Error) {
        guard let error = error as? StoreKitError else { return nil }
        self = .generic(error)
    }

    var error: any Error {
        switch self {
        case .generic(let error): error
        }
    }
}

extension SKTestFailures.OfferCodeRedeem: SimulatedFailure {
    /// Returns whether two failures have the same error.
    public static func == (left: Self, right: Self) -> Bool { areSame(left.error, right.error) }

    init?(_ error: any Error) {
        guard let error = error as? StoreKitError else { return nil }
        self = .generic(error)
    }

    var error: any Error {
        switch self {
        case .generic(let error): error
        }
    }
}

extension SKTestFailures.Purchase: SimulatedFailure {
    /// Returns whether two failures have the same error.
    public static func == (left: Self, right: Self) -> Bool { areSame(left.error, right.error) }

    init?(_ error: any Error) {
        switch error {
        case let error as StoreKitError: self = .generic(error)
        case let error as Product.PurchaseError: self = .purchase(error)
        default: return nil
        }
    }

    var error: any Error {
        switch self {
        case .generic(let error): error
        case .purchase(let error): error
        }
    }
}

extension SKTestFailures.RefundRequest: SimulatedFailure {
    /// Returns whether two failures have the same error.
    public static func == (left: Self, right: Self) -> Bool { areSame(left.error, right.error) }

    init?(_ error: any Error) {
        switch error {
        case let error as StoreKitError: self = .generic(error)
        case let error as Transaction.RefundRequestError: self = .refundRequest(error)
        default: return nil
        }
    }

    var error: any Error {
        switch self {
        case .generic(let error): error
        case .refundRequest(let error): error
        }
    }
}

extension SKTestFailures.Verification: SimulatedFailure {
    init?(_ error: any Error) {
        guard let error = error as? VerificationResult<Any>.VerificationError else { return nil }
        self = .verification(error)
    }

    var error: any Error {
        switch self {
        case .verification(let error): error
        }
    }
}

extension StoreFailure {
    /// Creates the Store Kit 1 failure with the meaning of a simulated error of Store Kit 2.
    init(simulating error: any Error) {
        switch error {
        case let error as StoreKitError: self.init(error)
        case let error as Product.PurchaseError: self = .storeKit(Self.code(of: error), Self.sentence(of: error))
        default: self.init(error)
        }
    }

    private init(_ error: StoreKitError) {
        let sentence = Self.sentence(of: error)
        switch error {
        case .networkError(let error): self.init(error)
        case .systemError(let error): self.init(error)
        case .userCancelled: self = .storeKit(.paymentCancelled, sentence)
        case .notAvailableInStorefront: self = .storeKit(.storeProductNotAvailable, sentence)
        case .notEntitled: self = .storeKit(.clientInvalid, sentence)
        case .unknown, .unsupported, .invalidPresentationContext: self = .storeKit(.unknown, sentence)
        }
    }

    /// Returns the code that `Product.PurchaseError.error(for:)` converts to the error, if there is one.
    private static func code(of error: Product.PurchaseError) -> Code {
        switch error {
        case .invalidQuantity, .productUnavailable: .paymentInvalid
        case .purchaseNotAllowed: .paymentNotAllowed
        case .ineligibleForOffer: .ineligibleForOffer
        case .invalidOfferIdentifier: .invalidOfferIdentifier
        case .invalidOfferPrice: .invalidOfferPrice
        case .invalidOfferSignature: .invalidSignature
        case .missingOfferParameters: .missingOfferParams
        case .paymentMethodBindingConfigurationRequired: .paymentMethodBindingConfigurationRequired
        }
    }

    private static func sentence(of error: any Error) -> String { "the test session simulates \(error)" }
}

/// Returns whether both errors have the same type, the same case and the same content, as far as that can be compared.
private func areSame(_ left: any Error, _ right: any Error) -> Bool {
    switch (left, right) {
    case (StoreKitError.networkError(let left), StoreKitError.networkError(let right)): left.code == right.code
    case (StoreKitError.systemError(let left), StoreKitError.systemError(let right)): areSame(left, right)
    case (let left as StoreFailure, let right as StoreFailure): left == right
    default: (left as NSError).domain == (right as NSError).domain && (left as NSError).code == (right as NSError).code
    }
}
