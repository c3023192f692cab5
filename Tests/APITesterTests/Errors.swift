import StoreKit

// Compiles, and so shows that what a client may write about errors compiles.

func useErrors(_ transaction: SKPaymentTransaction) throws {
    let made = SKError(.paymentCancelled)
    let _: SKError = SKError(.unknown, userInfo: [NSLocalizedDescriptionKey: "why"])
    let _: SKError = SKError(_nsError: NSError(domain: SKErrorDomain, code: SKError.paymentInvalid.rawValue))
    let _: any Error & CustomNSError & Hashable & Sendable = made
    let _: (SKError.Code, Int, [String: Any], [String: Any]) = (
        made.code, made.errorCode, made.userInfo, made.errorUserInfo
    )
    let _: (String, String, NSError) = (SKError.errorDomain, made.localizedDescription, made._nsError)
    let _: Bool = made == SKError(.paymentCancelled)
    let _: Bool = SKError.paymentCancelled ~= (made as Error)
    let _: SKError.Type = SKError.Code._ErrorType.self
    var hasher = Hasher()
    made.hash(into: &hasher)
    let _: Set<SKError> = [made]

    do {
        throw made
    } catch SKError.paymentCancelled {
        return
    } catch let error as SKError where error.code == .paymentNotAllowed {
        return
    } catch let error as SKError {
        switch error.code {
        case .unknown, .paymentInvalid: return
        default: break
        }
    } catch {
        let bridged = error as NSError
        guard bridged.domain == SKErrorDomain, bridged.code != SKError.paymentCancelled.rawValue else { throw error }
    }

    if let error = transaction.error as? SKError, error.code != .paymentCancelled { throw error }
    switch (transaction.error as? SKError)?.code {
    case .paymentCancelled?: break
    case .some: break
    case .none: break
    }
    if let error = transaction.error, (error as NSError).code == SKError.Code.paymentCancelled.rawValue { throw error }
    if case .some(SKError.clientInvalid) = transaction.error { return }
    if transaction.error is URLError { return }

    let _: [SKError.Code] = [
        SKError.unknown, SKError.clientInvalid, SKError.paymentCancelled, SKError.paymentInvalid,
        SKError.paymentNotAllowed, SKError.storeProductNotAvailable, SKError.cloudServicePermissionDenied,
        SKError.cloudServiceNetworkConnectionFailed, SKError.cloudServiceRevoked,
        SKError.privacyAcknowledgementRequired, SKError.unauthorizedRequestData, SKError.invalidOfferIdentifier,
        SKError.invalidSignature, SKError.missingOfferParams, SKError.invalidOfferPrice, SKError.overlayCancelled,
        SKError.overlayInvalidConfiguration, SKError.overlayTimeout, SKError.ineligibleForOffer,
        SKError.unsupportedPlatform, SKError.overlayPresentedInBackgroundScene,
        SKError.paymentMethodBindingConfigurationRequired,
    ]
}
