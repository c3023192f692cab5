extension StoreFailure.Code {
    /// The name of Store Kit's case, for logs; nil for a number that Store Kit does not use.
    package var name: String? { Self.names.indices.contains(rawValue) ? Self.names[rawValue] : nil }

    /// The names by number, see `SKError.Code`.
    private static let names = [
        "unknown", "clientInvalid", "paymentCancelled", "paymentInvalid", "paymentNotAllowed",
        "storeProductNotAvailable", "cloudServicePermissionDenied", "cloudServiceNetworkConnectionFailed",
        "cloudServiceRevoked", "privacyAcknowledgementRequired", "unauthorizedRequestData", "invalidOfferIdentifier",
        "invalidSignature", "missingOfferParams", "invalidOfferPrice", "overlayCancelled",
        "overlayInvalidConfiguration", "overlayTimeout", "ineligibleForOffer", "unsupportedPlatform",
        "overlayPresentedInBackgroundScene",
    ]
}
