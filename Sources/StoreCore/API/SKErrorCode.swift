import Foundation

/// The numbers of Store Kit's errors.
///
/// Later versions may add codes: a `switch` needs `@unknown default`. Not every code can come from a store that sells; those about
/// cloud services and overlays belong to parts of Store Kit that are not offered here, and stand for code that names them.
@nonexhaustive(warn)
public enum SKErrorCode: Int, Sendable {
    /// Something unexpected happened.
    case unknown = 0
    /// The app may not do what it tried.
    case clientInvalid = 1
    /// The user canceled.
    case paymentCancelled = 2
    /// The store did not recognize something in the payment.
    case paymentInvalid = 3
    /// The user may not authorize payments.
    case paymentNotAllowed = 4
    /// The product is not sold in the user's country.
    case storeProductNotAvailable = 5
    /// The user refused access to cloud information.
    case cloudServicePermissionDenied = 6
    /// The device could not reach the cloud service.
    case cloudServiceNetworkConnectionFailed = 7
    /// The user took back a permission given earlier.
    case cloudServiceRevoked = 8
    /// The user has not yet agreed to the store's privacy text.
    case privacyAcknowledgementRequired = 9
    /// The payment carries request data, and the app is not entitled to send any.
    case unauthorizedRequestData = 10
    /// The promotional offer is unknown, or has been withdrawn.
    case invalidOfferIdentifier = 11
    /// The promotional offer's signature does not match the payment.
    case invalidSignature = 12
    /// The promotional offer is incomplete.
    case missingOfferParams = 13
    /// The promotional offer is no longer below the product's price.
    case invalidOfferPrice = 14
    /// An overlay was dismissed before it appeared.
    case overlayCancelled = 15
    /// An overlay's configuration cannot be used.
    case overlayInvalidConfiguration = 16
    /// An overlay took too long to load.
    case overlayTimeout = 17
    /// The user may not have this offer.
    case ineligibleForOffer = 18
    /// The platform does not offer what was asked for.
    case unsupportedPlatform = 19
    /// An overlay was presented by a scene in the background.
    case overlayPresentedInBackgroundScene = 20
    /// Reserved for cases of later versions; never a value.
    @available(*, unavailable) case _later = -1
}

extension SKErrorCode: _ErrorCodeProtocol {
    /// The error that belongs to these codes.
    public typealias _ErrorType = SKError
}

extension SKError {
    /// The numbers of Store Kit's errors.
    public typealias Code = SKErrorCode
}

extension SKError.Code {
    /// The meaning of the code, the reason of an error whose `userInfo` has none.
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
        @unknown default: SKError.Code.unknown.sentence
        }
    }
}

extension SKError {
    /// An unexpected error.
    public static var unknown: Code { .unknown }
    /// The app may not do what it tried.
    public static var clientInvalid: Code { .clientInvalid }
    /// The user canceled.
    public static var paymentCancelled: Code { .paymentCancelled }
    /// The store did not recognize something in the payment.
    public static var paymentInvalid: Code { .paymentInvalid }
    /// The user may not authorize payments.
    public static var paymentNotAllowed: Code { .paymentNotAllowed }
    /// The product is not sold in the user's country.
    public static var storeProductNotAvailable: Code { .storeProductNotAvailable }
    /// The user refused access to cloud information.
    public static var cloudServicePermissionDenied: Code { .cloudServicePermissionDenied }
    /// The device could not reach the cloud service.
    public static var cloudServiceNetworkConnectionFailed: Code { .cloudServiceNetworkConnectionFailed }
    /// The user took back a permission given earlier.
    public static var cloudServiceRevoked: Code { .cloudServiceRevoked }
    /// The user has not yet agreed to the store's privacy text.
    public static var privacyAcknowledgementRequired: Code { .privacyAcknowledgementRequired }
    /// The payment carries request data, and the app is not entitled to send any.
    public static var unauthorizedRequestData: Code { .unauthorizedRequestData }
    /// The promotional offer is unknown, or has been withdrawn.
    public static var invalidOfferIdentifier: Code { .invalidOfferIdentifier }
    /// The promotional offer's signature does not match the payment.
    public static var invalidSignature: Code { .invalidSignature }
    /// The promotional offer is incomplete.
    public static var missingOfferParams: Code { .missingOfferParams }
    /// The promotional offer is no longer below the product's price.
    public static var invalidOfferPrice: Code { .invalidOfferPrice }
    /// An overlay was dismissed before it appeared.
    public static var overlayCancelled: Code { .overlayCancelled }
    /// An overlay's configuration cannot be used.
    public static var overlayInvalidConfiguration: Code { .overlayInvalidConfiguration }
    /// An overlay took too long to load.
    public static var overlayTimeout: Code { .overlayTimeout }
    /// The user may not have this offer.
    public static var ineligibleForOffer: Code { .ineligibleForOffer }
    /// The platform does not offer what was asked for.
    public static var unsupportedPlatform: Code { .unsupportedPlatform }
    /// An overlay was presented by a scene in the background.
    public static var overlayPresentedInBackgroundScene: Code { .overlayPresentedInBackgroundScene }
}
