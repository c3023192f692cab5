import StoreKit

// Compiles, and so shows that what a client may write about verification compiles.

func useResult(_ result: VerificationResult<Transaction>) throws {
    let _: Transaction = try result.payloadValue
    let _: Transaction = result.unsafePayloadValue
    // Frozen: without a default.
    switch result {
    case .verified(let transaction): print(transaction.productID)
    case .unverified(let transaction, let error):
        print(transaction.productID)
        switch error {
        case .revokedCertificate, .invalidCertificateChain, .invalidDeviceVerification, .invalidEncoding: break
        case .invalidSignature, .missingRequiredProperties: break
        @unknown default: break
        }
        let _: [String?] = [error.errorDescription, error.failureReason, error.recoverySuggestion]
    }
    let _: VerificationResult<Transaction>.VerificationError = .invalidSignature
    let _: (String, Data, Data, Data, Data) = (
        result.jwsRepresentation, result.headerData, result.payloadData, result.signatureData, result.signedData
    )
    let _: (Date, Data, UUID) = (result.signedDate, result.deviceVerification, result.deviceVerificationNonce)
    let _: (String, Int, Bool) = (result.debugDescription, result.hashValue, result == result)
}

func useResult(_ result: VerificationResult<Product.SubscriptionInfo.RenewalInfo>) throws {
    let _: Product.SubscriptionInfo.RenewalInfo = try result.payloadValue
    let _: (String, Data, Data, Data, Data) = (
        result.jwsRepresentation, result.headerData, result.payloadData, result.signatureData, result.signedData
    )
    let _: (Date, Data, UUID) = (result.signedDate, result.deviceVerification, result.deviceVerificationNonce)
}

func useResult(_ result: VerificationResult<AppTransaction>) throws {
    let _: AppTransaction = try result.payloadValue
    let _: (String, Data, Data, Data, Data) = (
        result.jwsRepresentation, result.headerData, result.payloadData, result.signatureData, result.signedData
    )
    let _: (Date, Data, UUID) = (result.signedDate, result.deviceVerification, result.deviceVerificationNonce)
}

/// The device's part of verification, as an app that trusts nobody else writes it.
func isMadeForThisDevice(_ result: VerificationResult<Transaction>, sha384: (Data) -> Data) -> Bool {
    guard let device = AppStore.deviceVerificationID else { return false }
    let text = result.deviceVerificationNonce.uuidString.lowercased() + device.uuidString.lowercased()
    return sha384(Data(text.utf8)) == result.deviceVerification
}
