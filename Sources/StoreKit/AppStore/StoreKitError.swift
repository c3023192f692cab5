import Foundation
import StoreCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An error of Store Kit 2, besides `Product.PurchaseError` and `Transaction.RefundRequestError`.
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
    /// There is no context to present a sheet in.
    case invalidPresentationContext
}

extension StoreKitError: LocalizedError {
    /// The text for the user, in English: Store Kit's own if it is known; for a `systemError`, the text of its error.
    public var errorDescription: String? {
        switch self {
        case .unknown, .unsupported: "Unable to Complete Request"
        case .userCancelled: "The request was canceled."
        case .networkError: "The store could not be reached."
        case .systemError(let error): error.localizedDescription
        case .notAvailableInStorefront: "The product is not available in your country."
        case .notEntitled: "The app may not make the request."
        case .invalidPresentationContext: "The store's sheet could not be shown."
        }
    }

    /// The store's or the network's reason, else a sentence in English; nil if ``errorDescription`` already states it.
    public var failureReason: String? {
        switch self {
        case .unknown: "The store failed for an unknown reason."
        case .unsupported: "The store does not support the request."
        case .networkError(let error): error.userInfo[StoreFailure.reasonKey] as? String ?? error.localizedDescription
        case .systemError(let error as StoreFailure): error.reason
        case .systemError(let error): (error as NSError).localizedFailureReason ?? error.localizedDescription
        case .userCancelled, .notAvailableInStorefront, .notEntitled, .invalidPresentationContext: nil
        }
    }

    /// A sentence that suggests what the user can do, in English; nil if there is nothing to do.
    public var recoverySuggestion: String? {
        switch self {
        case .unknown, .systemError: "Try again later."
        case .networkError: "Check your connection to the network, and try again."
        case .userCancelled, .notAvailableInStorefront, .notEntitled, .unsupported, .invalidPresentationContext: nil
        }
    }
}

// `CustomNSError` for the associated errors, so that they survive the conversion to an `NSError` and back.
extension StoreKitError: CustomNSError, _BridgedError {
    /// The texts above, and the associated error under `NSUnderlyingErrorKey`.
    public var errorUserInfo: [String: Any] {
        // If this dictionary is not empty, Foundation takes no text from `LocalizedError`, so all texts are added here.
        var info: [String: Any] = [:]
        info[NSLocalizedDescriptionKey] = errorDescription
        info[NSLocalizedFailureReasonErrorKey] = failureReason
        info[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
        switch self {
        case .networkError(let error): info[NSUnderlyingErrorKey] = error
        case .systemError(let error): info[NSUnderlyingErrorKey] = error
        case .unknown, .userCancelled, .notAvailableInStorefront, .notEntitled, .unsupported,
            .invalidPresentationContext:
            break
        }
        return info
    }

    /// Returns the error that an `NSError` represents; nil if its domain and code are not those of this type.
    ///
    /// Without an underlying error, `networkError` contains `URLError.unknown`, and `systemError` the `NSError` itself.
    public static func _bridged(from error: NSError) -> StoreKitError? {
        let below = error.userInfo[NSUnderlyingErrorKey]
        let all: [StoreKitError] = [
            .unknown, .userCancelled, .networkError(below as? URLError ?? URLError(.unknown)),
            .systemError(below as? any Error ?? error), .notAvailableInStorefront, .notEntitled, .unsupported,
            .invalidPresentationContext,
        ]
        return all.first { $0._domain == error.domain && $0._code == error.code }
    }
}
