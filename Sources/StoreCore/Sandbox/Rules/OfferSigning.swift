import Foundation

/// Which signed offers a store takes: those of its app, signed with the keys that it knows (behaviours 148 and 149).
///
/// A reference, because the rules are copied for each submission.
final class OfferSigning: Sendable {
    let bundleIdentifier: String
    let signers: [any OfferSigner]
    /// The signers' names for their keys.
    private let keys: [String]
    /// What the signers have said of the payments that are being taken in.
    private let verdicts: [StorePayment: Bool]

    /// Milliseconds for which a signed offer may be used.
    private static let validity: Double = 24 * 3_600_000

    init(bundleIdentifier: String = "", signers: [any OfferSigner] = []) {
        self.bundleIdentifier = bundleIdentifier
        self.signers = signers
        keys = signers.map(\.keyIdentifier)
        verdicts = [:]
    }

    private init(_ rules: OfferSigning, _ verdicts: [StorePayment: Bool]) {
        bundleIdentifier = rules.bundleIdentifier
        signers = rules.signers
        keys = rules.keys
        self.verdicts = verdicts
    }

    /// The same rules once the signers have looked at some payments.
    ///
    /// They are a client's code: call this without a lock.
    func checking(_ payments: [StorePayment]) -> OfferSigning {
        OfferSigning(self, Dictionary(payments.map { ($0, isSigned($0)) }) { first, _ in first })
    }

    /// Why a signed offer is not to be taken, whoever wants it; nil for a sound one.
    ///
    /// The signers have looked at the payment before, see ``checking(_:)``.
    func refusal(of discount: StoreDiscount, in payment: StorePayment, at now: Date) -> StoreFailure? {
        let name = "the offer \"\(discount.identifier)\""
        guard keys.contains(discount.keyIdentifier) else {
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

    /// Whether the signature of a payment's offer is that of the key which it names.
    private func isSigned(_ payment: StorePayment) -> Bool {
        guard let discount = payment.discount, let signature = Data(base64Encoded: discount.signature),
            let key = keys.firstIndex(of: discount.keyIdentifier)
        else { return false }
        // A user name that is a UUID is an account token, which servers sign in lower case.
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
