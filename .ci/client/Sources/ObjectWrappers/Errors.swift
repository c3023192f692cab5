import Foundation
import StoreKit

extension Error {
    /// The error with a domain and numbers of the wrappers' own.
    package var object: NSError {
        switch self {
        case let error as StoreKitError: error.numbered
        case let error as Product.PurchaseError: error.numbered
        case let error as Transaction.RefundRequestError: error.numbered
        case let error as VerificationResult<Transaction>.VerificationError: error.numbered
        case let error as VerificationResult<AppTransaction>.VerificationError: error.numbered
        case let error as VerificationResult<Product.SubscriptionInfo.RenewalInfo>.VerificationError: error.numbered
        case let error as InvalidRequestError:
            NSError(
                domain: "InvalidRequest",
                code: Int(error.code),
                userInfo: [NSLocalizedDescriptionKey: error.message]
            )
        default: self as NSError
        }
    }
}

extension StoreKitError {
    fileprivate var numbered: NSError {
        NSError(domain: "StoreKit", code: code, userInfo: (self as NSError).userInfo)
    }

    private var code: Int {
        switch self {
        case .unknown: return 0
        case .userCancelled: return 1
        case .networkError(_): return 2
        case .systemError(_): return 3
        case .notAvailableInStorefront: return 4
        default:
            if #available(iOS 15.4, *) { if case .notEntitled = self { return 5 } }
            if #available(iOS 18.4, *) { if case .unsupported = self { return 6 } }
            if #available(iOS 27.0, macOS 27.0, *) { if case .invalidPresentationContext = self { return 7 } }
            return 0
        }
    }
}

extension Product.PurchaseError {
    fileprivate var numbered: NSError {
        let code =
            switch self {
            case .invalidQuantity: 0
            case .productUnavailable: 1
            case .purchaseNotAllowed: 2
            case .ineligibleForOffer: 3
            case .invalidOfferIdentifier: 4
            case .invalidOfferPrice: 5
            case .invalidOfferSignature: 6
            case .missingOfferParameters: 7
            default:
                if #available(iOS 26.5, macOS 26.5, *), case .paymentMethodBindingConfigurationRequired = self {
                    8
                } else {
                    -1
                }
            }
        return NSError(domain: "Purchase", code: code, userInfo: (self as NSError).userInfo)
    }
}

extension Transaction.RefundRequestError {
    fileprivate var numbered: NSError {
        let code =
            switch self {
            case .duplicateRequest: 0
            case .failed: 1
            default: if #available(iOS 27.0, macOS 27.0, *), case .ineligible = self { 2 } else { -1 }
            }
        return NSError(domain: "Refund", code: code, userInfo: (self as NSError).userInfo)
    }
}

extension VerificationResult.VerificationError {
    fileprivate var numbered: NSError {
        let code =
            switch self {
            case .revokedCertificate: 0
            case .invalidCertificateChain: 1
            case .invalidDeviceVerification: 2
            case .invalidEncoding: 3
            case .invalidSignature: 4
            case .missingRequiredProperties: 5
            @unknown default: -1
            }
        return NSError(domain: "Verification", code: code, userInfo: (self as NSError).userInfo)
    }
}

extension WrappedResult {
    package var isVerified: Bool { if case .verified(_) = raw { true } else { false } }
    package func payload() throws -> WrappedTransaction { try raw.payloadValue.wrapped }
    package var unsafePayload: WrappedTransaction { raw.unsafePayloadValue.wrapped }
    package var error: NSError? {
        guard case let .unverified(_, error) = raw else { return nil }
        return error.numbered
    }
    package var parts: [Data] {
        [raw.headerData, raw.payloadData, raw.signatureData, raw.signedData, raw.deviceVerification]
    }
    package var text: String { "\(raw.jwsRepresentation) \(raw.signedDate) \(raw.deviceVerificationNonce)" }
    package var debugText: String { raw.debugDescription }
}

extension WrappedRenewalResult {
    package func payload() throws -> WrappedRenewalInfo { try raw.payloadValue.wrapped }
    package var error: NSError? {
        guard case let .unverified(_, error) = raw else { return nil }
        return error.numbered
    }
    package var parts: [Data] {
        [raw.headerData, raw.payloadData, raw.signatureData, raw.signedData, raw.deviceVerification]
    }
    package var debugText: String { raw.debugDescription }
}

extension WrappedAppResult {
    package func payload() throws -> WrappedApp { try raw.payloadValue.wrapped }
    package var error: NSError? {
        guard case let .unverified(_, error) = raw else { return nil }
        return error.numbered
    }
    package var parts: [Data] {
        [raw.headerData, raw.payloadData, raw.signatureData, raw.signedData, raw.deviceVerification]
    }
    package var debugText: String { raw.debugDescription }
}
