import Foundation

/// The rules of signed offers: a store accepts those for its app, signed with a known key (behaviors 148 and 149).
///
/// A class, because each submission copies the `SandboxRules` that contain it: the copy then costs one reference.
final class OfferSigning: Sendable {
    let bundleIdentifier: String
    let signers: [any OfferSigner]
    /// The keys with which Advanced Commerce requests may be signed, in addition to the signers of offers.
    let requestSigners: [any OfferSigner]
    /// The signers' key identifiers.
    private let keys: [String]
    /// Whether the offer of each payment in the current submission has a valid signature.
    private let verdicts: [StorePayment: Bool]

    /// The seconds for which a signed offer is valid.
    private static let validity: Double = 24 * 3600

    init(
        bundleIdentifier: String = "",
        signers: [any OfferSigner] = [],
        requestSigners: [any OfferSigner] = []
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.signers = signers
        self.requestSigners = requestSigners
        keys = signers.map(\.keyIdentifier)
        verdicts = [:]
    }

    private init(_ rules: OfferSigning, _ verdicts: [StorePayment: Bool]) {
        bundleIdentifier = rules.bundleIdentifier
        signers = rules.signers
        requestSigners = rules.requestSigners
        keys = rules.keys
        self.verdicts = verdicts
    }

    /// Returns the same rules, with the results of verifying the signatures of some payments' offers.
    ///
    /// Signers are client code: call this without a lock.
    func checking(_ payments: [StorePayment]) -> OfferSigning {
        OfferSigning(self, Dictionary(payments.map { ($0, isSigned($0)) }) { first, _ in first })
    }

    /// Returns the reason why a signed offer is refused, regardless of the account; nil for a valid offer.
    ///
    /// The signature must have been verified before, by ``checking(_:)``.
    func refusal(of discount: StoreDiscount, in payment: StorePayment, at now: Date) -> StoreFailure? {
        let name = "the offer \"\(discount.identifier)\""
        guard keys.contains(discount.keyIdentifier) else {
            return .storeKit(
                .invalidSignature,
                "\(name) is signed with the key \"\(discount.keyIdentifier)\", which this store does not know"
            )
        }
        let clock = now.timeIntervalSince1970 * 1000
        guard abs(clock - Double(discount.timestamp)) < Self.validity * 1000 else {
            return .storeKit(
                .invalidSignature,
                """
                \(name) was signed at \(discount.timestamp) and the store's clock is at \(Int64(clock)), in milliseconds: \
                a signature serves for 24 hours
                """
            )
        }
        guard Data(base64Encoded: discount.signature) != nil else {
            return .storeKit(.invalidSignature, "the signature of \(name) is not in Base64")
        }
        if verdicts[payment] == true { return nil }
        return .storeKit(
            .invalidSignature,
            """
            the signature of \(name) does not match \(payment.productIdentifier) in \(bundleIdentifier) with this nonce, \
            timestamp and user name, and the key "\(discount.keyIdentifier)"
            """
        )
    }

    /// Returns the reason why an offer's proof is refused, regardless of the account; nil for a valid proof.
    ///
    /// The signature must have been verified before, by ``checking(_:)``.
    func refusal(of proof: OfferProof, in payment: StorePayment, at now: Date) -> StoreFailure? {
        let name = payment.offer?.name ?? "the offer"
        let (key, claims) = (proof.header.kid, proof.claims)
        guard keys.contains(key) else {
            let reason = "\(name) is signed with the key \"\(key)\", which this store does not know"
            return .storeKit(.invalidSignature, reason)
        }
        let clock = now.timeIntervalSince1970
        guard abs(clock - Double(claims.issuedAt)) < Self.validity else {
            return .storeKit(
                .invalidSignature,
                """
                \(name) was signed at \(claims.issuedAt) and the store's clock is at \(Int64(clock)), in seconds: a \
                signature serves for 24 hours
                """
            )
        }
        guard claims.bundleIdentifier.isExactly(bundleIdentifier),
            claims.productIdentifier.isExactly(payment.productIdentifier), payment.offer?.isGranted(by: claims) == true
        else {
            let reason = "\(name) comes with a proof for something else than \(payment.productIdentifier) under it"
            return .storeKit(.invalidSignature, "\(reason) in \(bundleIdentifier)")
        }
        if verdicts[payment] == true { return nil }
        return .storeKit(.invalidSignature, "the proof of \(name) was not signed with the key \"\(key)\"")
    }

    /// Whether a payment's request is signed with a known key, for this app, within 24 hours before or after a moment.
    ///
    /// The signature must have been verified before, by ``checking(_:)``.
    func accepts(_ request: SignedClaims<AdvancedCommerceClaims>, in payment: StorePayment, at now: Date) -> Bool {
        request.claims.bundleIdentifier.isExactly(bundleIdentifier) && verdicts[payment] == true
            && abs(now.timeIntervalSince1970 - Double(request.claims.issuedAt)) < Self.validity
    }

    private func isSigned<Claims>(_ proof: SignedClaims<Claims>, by signers: [any OfferSigner]) -> Bool {
        guard let signer = signers.first(where: { $0.keyIdentifier == proof.header.kid }),
            signer.jwsAlgorithm == proof.header.alg
        else { return false }
        return signer.isValid(jwsSignature: proof.signature, of: proof.signingInput)
    }

    /// Whether a payment's offer or request is signed with the key that it names.
    private func isSigned(_ payment: StorePayment) -> Bool {
        if let proof = payment.offer?.readProof { return isSigned(proof, by: signers) }
        if let proof = payment.requestProof { return isSigned(proof, by: signers + requestSigners) }
        guard let discount = payment.discount, let signature = Data(base64Encoded: discount.signature),
            let key = keys.firstIndex(of: discount.keyIdentifier)
        else { return false }
        // A user name that is a UUID is an account token, which servers sign in lowercase.
        var users = [payment.applicationUsername ?? ""]
        if let token = UUID(uuidString: users[0]) { users.append(token.uuidString.lowercased()) }
        return users.contains { user in
            let message = payload(discount, payment.productIdentifier, user)
            return signers[key].isValid(signature: signature, for: message)
        }
    }

    private func payload(_ discount: StoreDiscount, _ product: String, _ user: String) -> Data {
        let payload = PromotionalOfferPayload(
            bundleIdentifier: bundleIdentifier,
            keyIdentifier: discount.keyIdentifier,
            productIdentifier: product,
            offerIdentifier: discount.identifier,
            applicationUsername: user,
            nonce: discount.nonce,
            timestamp: discount.timestamp
        )
        return payload.data
    }
}

extension StoreOffer {
    /// The phrase that stands for the offer in the reason of a failure.
    var name: String {
        switch kind {
        case .promotional, .winBack, .code: "the offer \"\(identifier ?? "")\""
        case .introductory, .noIntroductory: "the eligibility for the introductory offer"
        }
    }

    /// Whether a proof's claims are about this offer, regardless of who signed them.
    fileprivate func isGranted(by claims: OfferClaims) -> Bool {
        switch claims.grant {
        case .promotionalOffer(let identifier): kind == .promotional && self.identifier?.isExactly(identifier) == true
        case .introductoryOffer: kind == .introductory || kind == .noIntroductory
        }
    }
}

extension StoreDiscount {
    /// The name of the first missing part, nil if the discount is complete.
    var missingPart: String? {
        if identifier.isEmpty { return "identifier" }
        if keyIdentifier.isEmpty { return "key identifier" }
        if nonce == Self.noNonce { return "nonce" }
        if signature.isEmpty { return "signature" }
        return timestamp > 0 ? nil : "timestamp"
    }

    private static let noNonce = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
