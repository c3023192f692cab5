import Foundation

// Signed requests of the Advanced Commerce API.
extension SandboxStore {
    /// Signs a request of the Advanced Commerce API, as the developer's server would.
    ///
    /// The signature is made with the first of ``offerSigners``, and dated by the store's clock. Its nonce makes it
    /// valid for one payment.
    ///
    /// Nothing is checked: a request that the store cannot fulfill is signed too, and refused at payment.
    ///
    /// - Parameters:
    ///   - request: the JSON of the request, see ``AdvancedCommerceClaims/request``.
    ///   - nonce: a number used for one payment only; a random one unless given.
    /// - Returns: a JWS in compact serialization, valid for 24 hours by the store's clock.
    /// - Throws: the signer's errors, and a ``StoreFailure`` if the store has no key, or one that signs no JWS.
    public func signedRequest(_ request: Data, nonce: UUID = UUID()) throws -> String {
        guard let signer = offerSigners.first else {
            throw StoreFailure.storeKit(.invalidSignature, "this store knows no key to sign requests with")
        }
        let claims = AdvancedCommerceClaims(
            bundleIdentifier: driver.bundleIdentifier,
            request: request,
            nonce: nonce,
            issuedAt: Int64(clock.now.timeIntervalSince1970)
        )
        return try claims.signed(by: signer)
    }

    /// Accepts Advanced Commerce requests that are signed with a key, such as that of the store's server API.
    ///
    /// Offers that are signed with the key are not accepted.
    package func acceptRequests(signedBy signer: any OfferSigner) {
        changeOfferRules { rules in
            OfferSigning(
                bundleIdentifier: rules.bundleIdentifier,
                signers: rules.signers,
                requestSigners: rules.requestSigners.filter { $0.keyIdentifier != signer.keyIdentifier } + [signer]
            )
        }
    }
}

extension SandboxAccount {
    /// Buys a generic product of Advanced Commerce by a signed request, without an app's order.
    ///
    /// Each of the account's devices receives the transaction, until one device has finished it.
    ///
    /// - Parameters:
    ///   - productIdentifier: the generic product.
    ///   - compactJWS: the signed request, see ``SandboxStore/signedRequest(_:nonce:)``.
    /// - Returns: the transaction's identifier, or that of the running period if nothing is sold.
    /// - Throws: a ``StoreFailure`` with the reason why the request is refused, and the ledger's errors.
    @discardableResult
    public func buy(_ productIdentifier: String, compactJWS: String) throws -> String {
        var payment = StorePayment(productIdentifier: productIdentifier)
        payment.requestData = try AdvancedCommerceData(compactJWS: compactJWS).json
        payment.isStoreKit2 = true
        return try buy(payment)
    }
}
