import Foundation
import StoreKit

/// An error in parts, as another language can throw it.
package struct ErrorPayload: Codable, Equatable, Sendable {
    package let kind: String
    package let name: String
    package let message: String
    package let reason: String?
    package let suggestion: String?
    package let underlying: Underlying?

    package struct Underlying: Codable, Equatable, Sendable {
        package let domain: String
        package let code: Int

        package init(domain: String, code: Int) { (self.domain, self.code) = (domain, code) }
    }

    package init(_ error: any Error) {
        var underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        switch error {
        case let error as StoreKitError:
            kind = "StoreKitError"
            switch error {
            case .networkError(let cause): underlying = cause as NSError
            case .systemError(let cause): underlying = cause as NSError
            default: break
            }
        case is Product.PurchaseError: kind = "PurchaseError"
        case is Transaction.RefundRequestError: kind = "RefundRequestError"
        case is InvalidRequestError: kind = "InvalidRequestError"
        case is SKError: kind = "SKError"
        case is VerificationResult<Transaction>.VerificationError,
            is VerificationResult<Product.SubscriptionInfo.RenewalInfo>.VerificationError,
            is VerificationResult<AppTransaction>.VerificationError:
            kind = "VerificationError"
        case is CancellationError: kind = "CancellationError"
        default: kind = "Error"
        }
        let localized = error as? any LocalizedError
        if let error = error as? InvalidRequestError {
            name = "\(error.code)"
            message = error.message
        } else {
            name = String(String(describing: error).prefix { $0 != "(" })
            message = localized?.errorDescription ?? error.localizedDescription
        }
        reason = localized?.failureReason
        suggestion = localized?.recoverySuggestion
        self.underlying = underlying.map { Underlying(domain: $0.domain, code: $0.code) }
    }
}
