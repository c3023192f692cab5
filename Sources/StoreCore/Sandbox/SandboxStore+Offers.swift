import Foundation

// Offers: the accepted signing keys, signatures for a test, and orders that only a test places.
extension SandboxStore {
    /// The keys with which offers may be signed; any other signature is refused with `invalidSignature`.
    ///
    /// The default is a single ``HMACOfferSigner`` with a new key. If two keys have the same identifier, the first one
    /// is used. Removing a key revokes it for orders from then on. The ledger does not store the keys: a reopened store
    /// begins with the default.
    public var offerSigners: [any OfferSigner] {
        get { driver.state.withLock { $0.settings.rules.offers.signers } }
        set {
            changeOfferRules { rules in
                OfferSigning(
                    bundleIdentifier: driver.bundleIdentifier,
                    signers: newValue,
                    requestSigners: rules.requestSigners
                )
            }
        }
    }

    /// Replaces the rules of signed offers by those that `change` makes of them.
    ///
    /// `change` may call client code: it runs without a lock, and again if the rules were replaced in the meantime.
    func changeOfferRules(_ change: (OfferSigning) -> OfferSigning) {
        while true {
            let rules = driver.state.withLock { $0.settings.rules.offers }
            var changed = change(rules)
            // The old signers are released after the lock, since their release may run client code.
            let isChanged = driver.state.withLock { driverState in
                guard driverState.settings.rules.offers === rules else { return false }
                swap(&driverState.settings.rules.offers, &changed)
                return true
            }
            if isChanged { return }
        }
    }

    /// Signs a promotional offer, as the developer's server would.
    ///
    /// The signature is made with the first of ``offerSigners``, and dated by the store's clock. Its nonce makes it
    /// valid for one payment.
    ///
    /// Nothing is checked: an offer that does not exist is signed too, and refused at payment.
    ///
    /// ```swift
    /// let payment = SKMutablePayment(productIdentifier: "pro.monthly")
    /// payment.paymentDiscount = SKPaymentDiscount(try store.signedOffer("winter", for: "pro.monthly"))
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: the offer's identifier.
    ///   - productIdentifier: the subscription that has the offer.
    ///   - applicationUsername: the app's own name for its user, if the payment will carry one.
    ///   - nonce: a number used for one payment only; a random one unless given.
    /// - Returns: the signed offer, valid for 24 hours by the store's clock.
    /// - Throws: the signer's errors, and a ``StoreFailure`` if the store has no key.
    public func signedOffer(
        _ identifier: String,
        for productIdentifier: String,
        applicationUsername: String? = nil,
        nonce: UUID = UUID()
    ) throws -> StoreDiscount {
        guard let signer = offerSigners.first else {
            throw StoreFailure.storeKit(.invalidSignature, "this store knows no key to sign offers with")
        }
        let payload = PromotionalOfferPayload(
            bundleIdentifier: driver.bundleIdentifier,
            keyIdentifier: signer.keyIdentifier,
            productIdentifier: productIdentifier,
            offerIdentifier: identifier,
            applicationUsername: applicationUsername ?? "",
            nonce: nonce,
            timestamp: Int64(clock.now.timeIntervalSince1970 * 1000)
        )
        return try payload.signed(by: signer)
    }

    /// Signs an offer of Store Kit 2, as the developer's server would.
    ///
    /// The signature is made with the first of ``offerSigners``, and dated by the store's clock. Its nonce makes it
    /// valid for one payment.
    ///
    /// Nothing is checked: an offer that does not exist is signed too, and refused at payment.
    ///
    /// - Parameters:
    ///   - grant: the offer.
    ///   - productIdentifier: the subscription that has the offer.
    ///   - nonce: a number used for one payment only; a random one unless given.
    /// - Returns: a JWS in compact serialization, valid for 24 hours by the store's clock.
    /// - Throws: the signer's errors, and a ``StoreFailure`` if the store has no key, or one that signs no JWS.
    public func compactJWS(
        for grant: OfferClaims.Grant,
        of productIdentifier: String,
        nonce: UUID = UUID()
    ) throws -> String {
        guard let signer = offerSigners.first else {
            throw StoreFailure.storeKit(.invalidSignature, "this store knows no key to sign offers with")
        }
        let claims = OfferClaims(
            bundleIdentifier: driver.bundleIdentifier,
            productIdentifier: productIdentifier,
            grant: grant,
            nonce: nonce,
            issuedAt: Int64(clock.now.timeIntervalSince1970)
        )
        return try claims.signed(by: signer)
    }

    /// Whether the store accepts orders that only a test places; false by default.
    ///
    /// Such an order has an offer without a proof (``StoreOffer/proof``), the offer of a code, or a purchase date in
    /// the past (``StorePayment/purchaseDate``). While this is false, the store refuses such orders. A reopened store
    /// begins with false.
    public var acceptsTestPurchases: Bool {
        get { driver.state.withLock { $0.settings.rules.acceptsTestPurchases } }
        set { driver.state.withLock { $0.settings.rules.acceptsTestPurchases = newValue } }
    }

    /// Whether a payment's own request for Ask to Buy is ignored, as in a test session (A11); false by default.
    package var ignoresSimulatedAskToBuy: Bool {
        get { driver.state.withLock { $0.settings.rules.ignoresSimulatedAskToBuy } }
        set { driver.state.withLock { $0.settings.rules.ignoresSimulatedAskToBuy = newValue } }
    }
}
