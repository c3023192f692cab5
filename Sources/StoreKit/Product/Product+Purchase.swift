import Foundation
import StoreCore

extension Product {
    /// The outcome of a purchase.
    public enum PurchaseResult: Sendable {
        /// The product was bought: deliver it, then finish the transaction.
        case success(VerificationResult<Transaction>)
        /// The user canceled, and nothing was charged.
        case userCancelled
        /// Another person has to approve the purchase, or the user has to resolve an issue that interrupted it.
        ///
        /// A purchase that is approved or completed later is one of ``Transaction/updates``. If it is declined, nothing
        /// is reported.
        case pending
    }

    /// The reason why a purchase is refused.
    public enum PurchaseError: Error, Equatable, Hashable, Sendable {
        /// The quantity is not 1 to 10, or not 1 for a product that is owned only once.
        case invalidQuantity
        /// The store does not sell the product.
        case productUnavailable
        /// The user may not authorize payments.
        case purchaseNotAllowed
        /// The user is not eligible for the offer.
        case ineligibleForOffer
        /// The offer is unknown or withdrawn.
        case invalidOfferIdentifier
        /// The offer's price is not below the current price.
        case invalidOfferPrice
        /// The offer's signature does not match.
        case invalidOfferSignature
        /// The offer is incomplete.
        case missingOfferParameters
        /// The app has to set up how its users pay.
        case paymentMethodBindingConfigurationRequired
    }
}

extension Product.PurchaseError: LocalizedError, _BridgedError {
    /// A text that names the reason, in English: Store Kit's own where that is known.
    public var errorDescription: String? {
        switch self {
        case .invalidQuantity: "The quantity cannot be bought."
        case .productUnavailable: "Item Unavailable"
        case .purchaseNotAllowed: "Purchases are not allowed on this device."
        case .ineligibleForOffer: "The offer is not for this user."
        case .invalidOfferIdentifier: "The offer does not exist."
        case .invalidOfferPrice: "The offer's price is not lower than the product's."
        case .invalidOfferSignature: "The offer's signature is not valid."
        case .missingOfferParameters: "The offer is incomplete."
        case .paymentMethodBindingConfigurationRequired: "The app's method of payment is not set up."
        }
    }

    /// A sentence that names the reason, in English.
    public var failureReason: String? {
        self == .productUnavailable ? "The product is not available." : errorDescription
    }

    /// A sentence that suggests what the user can do, in English; nil if there is nothing to do.
    public var recoverySuggestion: String? {
        switch self {
        case .purchaseNotAllowed: "Ask whoever set up this device."
        case .productUnavailable: "Try again later."
        case .invalidQuantity, .ineligibleForOffer, .invalidOfferIdentifier, .invalidOfferPrice, .invalidOfferSignature,
            .missingOfferParameters, .paymentMethodBindingConfigurationRequired:
            nil
        }
    }

    // Written out, since `CaseIterable` would make the list public.
    private static let all: [Self] = [
        .invalidQuantity, .productUnavailable, .purchaseNotAllowed, .ineligibleForOffer, .invalidOfferIdentifier,
        .invalidOfferPrice, .invalidOfferSignature, .missingOfferParameters, .paymentMethodBindingConfigurationRequired,
    ]

    /// Returns the error that an `NSError` represents; nil if its domain and code are not those of this type.
    public static func _bridged(from error: NSError) -> Self? {
        all.first { $0._domain == error.domain && $0._code == error.code }
    }

    /// Returns the error that a purchase throws for a store's failure.
    package static func error(for failure: StoreFailure) -> any Error {
        guard failure.domain == .storeKit else { return StoreKitError.error(for: failure) }
        if let error = InvalidRequestError(failure) { return error }
        return switch StoreFailure.Code(rawValue: failure.code) {
        case .unknown: StoreKitError.unknown
        case .paymentInvalid: Product.PurchaseError.productUnavailable
        case .paymentNotAllowed: Product.PurchaseError.purchaseNotAllowed
        case .ineligibleForOffer: Product.PurchaseError.ineligibleForOffer
        case .invalidOfferIdentifier: Product.PurchaseError.invalidOfferIdentifier
        case .invalidOfferPrice: Product.PurchaseError.invalidOfferPrice
        case .invalidSignature: Product.PurchaseError.invalidOfferSignature
        case .missingOfferParams: Product.PurchaseError.missingOfferParameters
        case .paymentMethodBindingConfigurationRequired:
            Product.PurchaseError.paymentMethodBindingConfigurationRequired
        default: StoreKitError.error(for: failure)
        }
    }
}
