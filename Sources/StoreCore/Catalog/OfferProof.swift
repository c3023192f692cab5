import Foundation

/// The parts of an offer's proof, a compact JWS, of which nothing is verified yet.
struct OfferProof: Sendable {
    /// The header's fields.
    struct Header: Codable, Sendable {
        let alg: String
        let kid: String
        var typ: String?
    }

    let header: Header
    let claims: OfferClaims
    /// The signed part: header and payload as they are, with the dot between them.
    let signingInput: Data
    let signature: Data

    /// The greatest length that is read: a proof is untrusted input.
    private static let maximumLength = 16_384

    /// Reads a proof; nil for anything that is no JWS with an offer's claims.
    init?(_ jws: String) {
        guard jws.utf8.count <= Self.maximumLength else { return nil }
        let parts = Array(jws.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Base64URL.decode(parts[0]).flatMap({ Self.read(Header.self, $0) }),
            let claims = Base64URL.decode(parts[1]).flatMap({ Self.read(OfferClaims.self, $0) }),
            let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        signingInput = Data(jws.utf8.prefix(parts[0].count + 1 + parts[1].count))
        self.signature = Data(signature)
    }

    private static func read<Value: Decodable>(_ type: Value.Type, _ json: [UInt8]) -> Value? {
        try? UntrustedJSON.decode(type, from: Data(json))
    }
}

extension StoreOffer {
    /// Whether its kind needs a proof, except in a test.
    var needsProof: Bool {
        switch kind {
        case .promotional, .introductory, .noIntroductory: true
        // A win-back offer is for whom the store finds eligible, and no server can grant a code.
        case .winBack, .code: false
        }
    }

    /// Whether a test asks for it, as no app can.
    var isOfTest: Bool { kind == .code || needsProof && proof == nil }

    /// The proof's parts; nil for none, for a malformed one, and for a kind that needs none.
    var readProof: OfferProof? { needsProof ? proof.flatMap { OfferProof($0) } : nil }

    /// Whether the buyer gets the introductory offer, as the proof says or, without one, the kind; nil for another kind
    /// of offer.
    var allowsIntroductoryOffer: Bool? {
        switch kind {
        case .promotional, .winBack, .code: return nil
        case .introductory, .noIntroductory:
            if case .introductoryOffer(let isAllowed) = readProof?.claims.grant { return isAllowed }
            return kind == .introductory
        }
    }
}
