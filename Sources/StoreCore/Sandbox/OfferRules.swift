import Foundation

/// Which signed offers a store takes: those of its app, signed with the keys that it knows (behaviours 148 and 149).
///
/// A reference, because the rules are copied for each submission.
final class OfferRules: Sendable {
    let bundleIdentifier: String
    let signers: [any OfferSigner]

    /// Milliseconds for which a signed offer may be used.
    private static let validity: Double = 24 * 3_600_000

    init(bundleIdentifier: String = "", signers: [any OfferSigner] = []) {
        self.bundleIdentifier = bundleIdentifier
        self.signers = signers
    }

    /// Why a signed offer is not to be taken, whoever wants it; nil for a sound one.
    func refusal(of discount: StoreDiscount, in payment: StorePayment, at now: Date) -> StoreFailure? {
        let name = "the offer \"\(discount.identifier)\""
        guard let signer = signers.first(where: { $0.keyIdentifier == discount.keyIdentifier }) else {
            return .storeKit(
                .invalidSignature,
                "\(name) is signed with the key \"\(discount.keyIdentifier)\", which this store does not know"
            )
        }
        let clock = now.timeIntervalSince1970 * 1000
        guard abs(clock - Double(discount.timestamp)) < Self.validity else {
            return .storeKit(
                .invalidSignature,
                """
                \(name) was signed at \(discount.timestamp) and the store's clock is at \(Int64(clock)), in milliseconds: \
                a signature serves for 24 hours
                """
            )
        }
        guard let signature = Data(base64Encoded: discount.signature) else {
            return .storeKit(.invalidSignature, "the signature of \(name) is not in Base64")
        }
        // A user name that is a UUID is an account token, which servers sign in lower case.
        var users = [payment.applicationUsername ?? ""]
        if let token = UUID(uuidString: users[0]) { users.append(token.uuidString.lowercased()) }
        let isSigned = users.contains { user in
            signer.isValid(signature: signature, for: payload(discount, payment.productIdentifier, user))
        }
        if isSigned { return nil }
        return .storeKit(
            .invalidSignature,
            """
            the signature of \(name) does not match \(payment.productIdentifier) in \(bundleIdentifier) with this nonce, \
            timestamp and user name, and the key "\(discount.keyIdentifier)"
            """
        )
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

extension StoreDiscount {
    /// Nil if all is there; else what is not.
    var missingPart: String? {
        if identifier.isEmpty { return "identifier" }
        if keyIdentifier.isEmpty { return "key identifier" }
        if nonce == Self.noNonce { return "nonce" }
        if signature.isEmpty { return "signature" }
        return timestamp > 0 ? nil : "timestamp"
    }

    private static let noNonce = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
