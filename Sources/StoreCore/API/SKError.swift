import Foundation

/// The domain of Store Kit's errors: the domain of an ``SKError`` that is converted to an `NSError`.
public let SKErrorDomain: String = "SKErrorDomain"

/// An error of a purchase, a request or another call to the store.
///
/// ```swift
/// do {
///     try await buy("coins.100")
/// } catch SKError.paymentCancelled {
///     // nothing to say
/// } catch let error as SKError {
///     print(error.code, error.localizedDescription)
/// }
/// ```
///
/// Network errors are `URLError`s. The store's reason, if there is one, is in ``userInfo`` under
/// `NSLocalizedFailureReasonErrorKey` and ``StoreFailure/reasonKey``; it is meant for a developer's log.
///
/// An `NSError` with the domain ``SKErrorDomain`` can be cast to `SKError` and caught as one, and an `SKError` can be
/// cast to `NSError`. All errors of this domain that this library delivers are `SKError` values.
public struct SKError: _BridgedStoredNSError, Sendable {
    /// The error in the form in which Foundation stores it.
    public let _nsError: NSError

    /// Creates an error from an `NSError`.
    ///
    /// If its domain is not ``SKErrorDomain``, the code is ``SKErrorCode/unknown``. ``userInfo`` and the description
    /// are then unchanged, and ``errorUserInfo`` contains the original error under `NSUnderlyingErrorKey`.
    public init(_nsError: NSError) { self._nsError = _nsError }

    /// Creates an error with a code and, optionally, a ``userInfo``.
    public init(_ code: Code, userInfo: [String: Any] = [:]) { self.init(number: code.rawValue, userInfo: userInfo) }

    /// Creates an error with the number of a code, which need not be that of a case.
    init(number: Int, userInfo: [String: Any]) {
        let error = NSError(domain: SKErrorDomain, code: number, userInfo: userInfo)
        #if canImport(Darwin)
            // There, `error as NSError` is the stored error, and nobody asks for `errorUserInfo`.
            _nsError = NSError(domain: SKErrorDomain, code: number, userInfo: Self(_nsError: error).errorUserInfo)
        #else
            _nsError = error
        #endif
    }

    /// Equal to ``SKErrorDomain``.
    public static var errorDomain: String { SKErrorDomain }
    /// Equal to ``SKErrorDomain``.
    public static var _nsErrorDomain: String { SKErrorDomain }

    /// The code of the error.
    ///
    /// It is ``SKErrorCode/unknown`` for a number without a case; ``errorCode`` returns the number.
    public var code: Code { Code(rawValue: errorCode) ?? .unknown }
    /// The number of the code; for an error of another domain, that of ``SKErrorCode/unknown``.
    public var errorCode: Int { isForeign ? Code.unknown.rawValue : _nsError.code }
    /// The information passed with the error, unchanged; on Apple's platforms with the additions of ``errorUserInfo``.
    public var userInfo: [String: Any] { _nsError.userInfo }

    /// The information of the error as an `NSError`: ``userInfo`` with some additions.
    ///
    /// An error of another domain is added under `NSUnderlyingErrorKey`. If ``userInfo`` has no description, a
    /// description is added and, for an error of Store Kit's domain without a reason, the meaning of the code as the
    /// reason.
    public var errorUserInfo: [String: Any] {
        var info = _nsError.userInfo
        if isForeign { info[NSUnderlyingErrorKey] = _nsError }
        guard info[NSLocalizedDescriptionKey] == nil else { return info }
        info[NSLocalizedDescriptionKey] = localizedDescription
        if !isForeign, info[NSLocalizedFailureReasonErrorKey] == nil {
            info[NSLocalizedFailureReasonErrorKey] = code.sentence
        }
        return info
    }

    /// The description in ``userInfo`` or, without one, a text with the domain and number, in English.
    ///
    /// An error of another domain has its own description. The reason in ``errorUserInfo`` explains the code.
    public var localizedDescription: String {
        if isForeign { return _nsError.localizedDescription }
        return _nsError.userInfo[NSLocalizedDescriptionKey] as? String
            ?? "The operation couldn’t be completed. (\(SKErrorDomain) error \(errorCode).)"
    }

    /// A sentence for a developer: the description passed with the error or, without one, the meaning of the code.
    var explanation: String {
        isForeign || _nsError.userInfo[NSLocalizedDescriptionKey] != nil ? localizedDescription : code.sentence
    }

    private var isForeign: Bool { _nsError.domain != SKErrorDomain }

    /// Returns whether the codes and all information of two errors are equal.
    public static func == (lhs: SKError, rhs: SKError) -> Bool {
        lhs.errorCode == rhs.errorCode
            && NSDictionary(dictionary: lhs.errorUserInfo).isEqual(NSDictionary(dictionary: rhs.errorUserInfo))
    }

    // `hash(into:)` and `hashValue` are implemented, since Foundation's defaults for bridged errors recurse endlessly
    // on Linux.
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(errorCode) }
    /// A hash of the code.
    public var hashValue: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }
}

#if !canImport(Darwin)
    // With Objective-C, Foundation converts all such errors itself.
    extension SKError: _BridgedError {
        /// Returns the error that an `NSError` of ``SKErrorDomain`` represents.
        public static func _bridged(from error: NSError) -> SKError? {
            error.domain == SKErrorDomain ? SKError(_nsError: error) : nil
        }
    }
#endif

/// The codes of Store Kit's errors, by their numbers.
///
/// Later versions may add codes: a `switch` needs `@unknown default`. A sandbox store returns the codes for cloud
/// services, privacy texts, overlays, unsupported platforms and payment methods only if a test sets them.
/// <doc:WhatATestCanMakeHappen> has a table with the cause of each code.
@nonexhaustive(warn)
public enum SKErrorCode: Int, Sendable {
    /// Something unexpected happened.
    case unknown = 0
    /// The app is not allowed to do what it has attempted.
    case clientInvalid = 1
    /// The user canceled the payment.
    case paymentCancelled = 2
    /// The store does not recognize a part of the payment.
    case paymentInvalid = 3
    /// The user is not allowed to authorize payments.
    case paymentNotAllowed = 4
    /// The product is not sold in the user's country.
    case storeProductNotAvailable = 5
    /// The user refused access to cloud information.
    case cloudServicePermissionDenied = 6
    /// The device could not reach the cloud service.
    case cloudServiceNetworkConnectionFailed = 7
    /// The user revoked a permission that they had granted.
    case cloudServiceRevoked = 8
    /// The user has not yet agreed to the store's privacy text.
    case privacyAcknowledgementRequired = 9
    /// The payment has request data, for which the app lacks the entitlement.
    case unauthorizedRequestData = 10
    /// The promotional offer is unknown, or has been withdrawn.
    case invalidOfferIdentifier = 11
    /// The promotional offer's signature is invalid for the payment.
    case invalidSignature = 12
    /// A part of the promotional offer is missing.
    case missingOfferParams = 13
    /// The price of the promotional offer is no longer below the product's price.
    case invalidOfferPrice = 14
    /// An overlay was dismissed before it appeared.
    case overlayCancelled = 15
    /// An overlay's configuration cannot be used.
    case overlayInvalidConfiguration = 16
    /// An overlay took too long to load.
    case overlayTimeout = 17
    /// The user is not eligible for this offer.
    case ineligibleForOffer = 18
    /// The platform does not support the requested feature.
    case unsupportedPlatform = 19
    /// An overlay was presented by a scene in the background.
    case overlayPresentedInBackgroundScene = 20
    /// The user has to add a payment method first.
    case paymentMethodBindingConfigurationRequired = 21
    /// A placeholder that no error has: later versions may add codes, so a `switch` needs `@unknown default`.
    @available(*, unavailable) case _later = -1
}

extension SKErrorCode: _ErrorCodeProtocol {
    /// The error type to which these codes belong.
    public typealias _ErrorType = SKError
}

extension SKError {
    /// The codes of Store Kit's errors, by their numbers.
    public typealias Code = SKErrorCode
}

extension SKError.Code {
    /// The meaning of the code: the reason of an error whose `userInfo` has none.
    var sentence: String {
        switch self {
        case .unknown: "Something unexpected happened in the store."
        case .clientInvalid: "This app is not allowed to do that in the store."
        case .paymentCancelled: "The purchase was cancelled."
        case .paymentInvalid: "The store could not make sense of this payment."
        case .paymentNotAllowed: "Purchases are not allowed for this user."
        case .storeProductNotAvailable: "This product is not sold in your country."
        case .cloudServicePermissionDenied: "Access to cloud information was not granted."
        case .cloudServiceNetworkConnectionFailed: "The cloud service could not be reached."
        case .cloudServiceRevoked: "Permission to use the cloud service was taken back."
        case .privacyAcknowledgementRequired: "The store's privacy text has to be agreed to first."
        case .unauthorizedRequestData: "This app may not send request data with a payment."
        case .invalidOfferIdentifier: "This offer does not exist, or is over."
        case .invalidSignature: "The offer's signature is not valid."
        case .missingOfferParams: "A part of the offer is missing."
        case .invalidOfferPrice: "The offer is not cheaper than the product itself."
        case .overlayCancelled: "The overlay was cancelled."
        case .overlayInvalidConfiguration: "The overlay is not set up correctly."
        case .overlayTimeout: "The overlay took too long to load."
        case .ineligibleForOffer: "This user cannot have the offer."
        case .unsupportedPlatform: "This platform does not support that."
        case .overlayPresentedInBackgroundScene: "An overlay cannot appear in the background."
        case .paymentMethodBindingConfigurationRequired: "The user has to add a payment method first."
        @unknown default: SKError.Code.unknown.sentence
        }
    }
}

extension SKError {
    /// An unexpected error.
    public static var unknown: Code { .unknown }
    /// The app is not allowed to do what it has attempted.
    public static var clientInvalid: Code { .clientInvalid }
    /// The user canceled the payment.
    public static var paymentCancelled: Code { .paymentCancelled }
    /// The store does not recognize a part of the payment.
    public static var paymentInvalid: Code { .paymentInvalid }
    /// The user is not allowed to authorize payments.
    public static var paymentNotAllowed: Code { .paymentNotAllowed }
    /// The product is not sold in the user's country.
    public static var storeProductNotAvailable: Code { .storeProductNotAvailable }
    /// The user refused access to cloud information.
    public static var cloudServicePermissionDenied: Code { .cloudServicePermissionDenied }
    /// The device could not reach the cloud service.
    public static var cloudServiceNetworkConnectionFailed: Code { .cloudServiceNetworkConnectionFailed }
    /// The user revoked a permission that they had granted.
    public static var cloudServiceRevoked: Code { .cloudServiceRevoked }
    /// The user has not yet agreed to the store's privacy text.
    public static var privacyAcknowledgementRequired: Code { .privacyAcknowledgementRequired }
    /// The payment has request data, for which the app lacks the entitlement.
    public static var unauthorizedRequestData: Code { .unauthorizedRequestData }
    /// The promotional offer is unknown, or has been withdrawn.
    public static var invalidOfferIdentifier: Code { .invalidOfferIdentifier }
    /// The promotional offer's signature is invalid for the payment.
    public static var invalidSignature: Code { .invalidSignature }
    /// A part of the promotional offer is missing.
    public static var missingOfferParams: Code { .missingOfferParams }
    /// The price of the promotional offer is no longer below the product's price.
    public static var invalidOfferPrice: Code { .invalidOfferPrice }
    /// An overlay was dismissed before it appeared.
    public static var overlayCancelled: Code { .overlayCancelled }
    /// An overlay's configuration cannot be used.
    public static var overlayInvalidConfiguration: Code { .overlayInvalidConfiguration }
    /// An overlay took too long to load.
    public static var overlayTimeout: Code { .overlayTimeout }
    /// The user is not eligible for this offer.
    public static var ineligibleForOffer: Code { .ineligibleForOffer }
    /// The platform does not support the requested feature.
    public static var unsupportedPlatform: Code { .unsupportedPlatform }
    /// An overlay was presented by a scene in the background.
    public static var overlayPresentedInBackgroundScene: Code { .overlayPresentedInBackgroundScene }
    /// The user has to add a payment method first.
    public static var paymentMethodBindingConfigurationRequired: Code { .paymentMethodBindingConfigurationRequired }
}

extension StoreFailure {
    /// The key of the store's reason, a `String`, in the `userInfo` of an `SKError` or `URLError`.
    ///
    /// The same reason is under `NSLocalizedFailureReasonErrorKey`.
    public static let reasonKey = "StoreFailureReason"

    /// Creates a failure from any error.
    ///
    /// A `StoreFailure` is used unchanged. An `SKError` or `URLError` retains its code, its reason, and the errors under
    /// `NSUnderlyingErrorKey`; if it has no reason, the description or the code's meaning is used. Other errors become
    /// the underlying errors of `unknown`.
    public init(_ error: any Error) {
        switch error {
        case let failure as StoreFailure: self = failure
        case let error as SKError:
            let reason = Self.reason(in: error.userInfo) ?? error.explanation
            let underlying = Underlying(in: error.errorUserInfo)
            self.init(domain: .storeKit, code: error.errorCode, reason: reason, underlying: underlying)
        case let error as URLError:
            let reason = Self.reason(in: error.userInfo) ?? error.localizedDescription
            let underlying = Underlying(in: error.userInfo)
            self.init(domain: .network, code: error.code.rawValue, reason: reason, underlying: underlying)
        default:
            let (code, reason) = (Code.unknown.rawValue, String(describing: error))
            self.init(domain: .storeKit, code: code, reason: reason, underlying: Underlying(error as NSError))
        }
    }

    private static func reason(in info: [String: Any]) -> String? {
        info[reasonKey] as? String ?? info[NSLocalizedFailureReasonErrorKey] as? String
    }

    /// The failure as an error for the app: an `SKError` or a `URLError`, never a plain `NSError`.
    ///
    /// A code that Store Kit does not know is retained. A code that the URL loading system does not know becomes
    /// `unknown`, because on Linux it could not be read from the `URLError`.
    var error: any Error {
        var info: [String: Any] = [NSLocalizedFailureReasonErrorKey: reason, StoreFailure.reasonKey: reason]
        if let underlying { info[NSUnderlyingErrorKey] = underlying.error }
        return switch domain {
        case .storeKit: SKError(number: code, userInfo: info)
        case .network: URLError(named(code) ?? .unknown, userInfo: info)
        }
    }
}

extension StoreFailure.Underlying {
    fileprivate init?(in info: [String: Any]) {
        guard let error = info[NSUnderlyingErrorKey] as? any Error else { return nil }
        self.init(error as NSError)
    }

    fileprivate init(_ error: NSError) {
        let (reason, underlying) = (error.localizedDescription, Self(in: error.userInfo))
        self.init(domain: error.domain, code: error.code, reason: reason, underlying: underlying)
    }

    fileprivate var error: NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: reason]
        if let underlying { info[NSUnderlyingErrorKey] = underlying.error }
        return NSError(domain: domain, code: code, userInfo: info)
    }
}

/// Returns the code with a number.
///
/// Generic, because `URLError.Code.init(rawValue:)` is failable on some platforms only.
private func named<Code: RawRepresentable<Int>>(_ code: Int) -> Code? { Code(rawValue: code) }
