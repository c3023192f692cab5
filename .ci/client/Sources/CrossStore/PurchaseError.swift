import Foundation
import StoreKit

/// Why something did not work, in any store.
package struct PurchaseError: Error, Equatable {
    package enum Code: String, Sendable {
        case userCancelled, network, unavailable, notOwned, service, deferred, unverified, notFound, developer, unknown
    }

    package let code: Code
    package let product: String?

    package init(_ code: Code, _ product: String? = nil) { (self.code, self.product) = (code, product) }

    /// Returns the failure that an error of Store Kit stands for.
    package static func wrap(_ error: Error, fallback: Code = .unknown, product: String? = nil) -> PurchaseError {
        if let failure = error as? PurchaseError { return failure }
        if isCancellation(error) { return PurchaseError(.userCancelled, product) }
        if let error = error as? StoreKitError {
            let code: Code
            switch error {
            case .userCancelled: code = .userCancelled
            case .networkError: code = .network
            case .notAvailableInStorefront: code = .unavailable
            case .notEntitled: code = .notOwned
            case .systemError: code = .service
            default: code = fallback
            }
            return PurchaseError(code, product)
        }
        return PurchaseError(fallback, product)
    }

    private static func isCancellation(_ error: Error) -> Bool {
        if let error = error as? StoreKitError {
            switch error {
            case .userCancelled: return true
            case .systemError(let underlying): return isCancellation(underlying)
            default: return false
            }
        }
        if let error = error as? SKError { return error.code == .paymentCancelled }
        let error = error as NSError
        return error.domain == SKError.errorDomain && error.code == SKError.Code.paymentCancelled.rawValue
    }
}
