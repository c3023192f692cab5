import Foundation
import StoreCore

#if !canImport(Darwin)
    import FoundationNetworking
#endif

/// An error that Store Kit 2's calls throw, beside `Product.PurchaseError` and `Transaction.RefundRequestError`.
public enum StoreKitError: Error, Sendable {
    /// An unexpected error.
    case unknown
    /// The user canceled.
    case userCancelled
    /// The network failed.
    case networkError(URLError)
    /// The store failed or refused; its own error says why.
    case systemError(any Error)
    /// The product is not sold in the user's country.
    case notAvailableInStorefront
    /// The app lacks an entitlement.
    case notEntitled
    /// The store does not support the call.
    case unsupported
    /// There is nothing to present a sheet in.
    case invalidPresentationContext
}

extension StoreKitError: LocalizedError {
    /// A sentence that names what failed, in English.
    public var errorDescription: String? {
        switch self {
        case .unknown: "The store failed for an unknown reason."
        case .userCancelled: "The request was canceled."
        case .networkError: "The store could not be reached."
        case .systemError: "The store could not complete the request."
        case .notAvailableInStorefront: "The product is not available in your country."
        case .notEntitled: "The app may not make the request."
        case .unsupported: "The store does not support the request."
        case .invalidPresentationContext: "The store's sheet could not be shown."
        }
    }

    /// The reason that the store or the network gave; nil if there is none.
    public var failureReason: String? {
        switch self {
        case .networkError(let error): error.userInfo[StoreFailure.reasonKey] as? String ?? error.localizedDescription
        case .systemError(let error as StoreFailure): error.reason
        case .systemError(let error): error.localizedDescription
        case .unknown, .userCancelled, .notAvailableInStorefront, .notEntitled, .unsupported,
            .invalidPresentationContext:
            nil
        }
    }

    /// A sentence that says what the user can do, in English; nil if that is nothing.
    public var recoverySuggestion: String? {
        switch self {
        case .unknown, .systemError: "Try again later."
        case .networkError: "Check your connection to the network, and try again."
        case .userCancelled, .notAvailableInStorefront, .notEntitled, .unsupported, .invalidPresentationContext: nil
        }
    }
}
