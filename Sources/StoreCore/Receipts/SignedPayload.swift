import Foundation

/// The envelope of an app receipt in the HMAC form: SignedData of the Cryptographic Message Syntax (CMS).
///
/// It has version 1, SHA-256, one signer without signed attributes, and no certificates: the signature is the HMAC of
/// RFC 8018, and the signer has neither a name nor a number. The payload is a set of attributes. The signature covers
/// the attributes without the set's tag and length, just as CMS excludes the tag and length of the octet string around
/// the set. If it covered the length, which comes first and changes with each attribute, a signer could not continue
/// from a saved state.
struct SignedPayload {
    /// The encoded attributes, one after the other.
    let attributes: [UInt8]
    let signature: [UInt8]

    init(attributes: [UInt8], signature: [UInt8]) {
        self.attributes = attributes
        self.signature = signature
    }

    /// The encoded message.
    ///
    /// Only one encoding is valid before and after the attributes, so no byte can be changed unnoticed.
    var encoded: Data {
        let back = Self.back(signature)
        return Data(Self.front(attributes: attributes.count, back: back.count) + attributes + back)
    }

    /// Decodes a message; nil for data that ``encoded`` would not have written.
    init?(_ data: Data) {
        var outer = DERReader([UInt8](data))
        guard var contentInfo = outer.open(.sequence), contentInfo.read(.objectIdentifier) != nil,
            var explicit = contentInfo.open(.explicit0), var signedData = explicit.open(.sequence),
            signedData.integer() != nil, signedData.read(.set) != nil,
            var content = signedData.open(.sequence), content.read(.objectIdentifier) != nil,
            var octets = content.open(.explicit0), var payload = octets.open(.octetString),
            let attributes = payload.read(.set),
            var signers = signedData.open(.set), var signer = signers.open(.sequence),
            signer.integer() != nil, signer.read(.sequence) != nil, signer.read(.sequence) != nil,
            signer.read(.sequence) != nil, let signature = signer.read(.octetString)
        else { return nil }
        self.init(attributes: Array(attributes), signature: Array(signature))
        // The parts skipped above are correct if the message, encoded again, equals the data.
        guard encoded == data else { return nil }
    }

    /// Returns the bytes of the message before the attributes.
    ///
    /// - Parameters:
    ///   - attributes: the number of bytes of the attributes.
    ///   - back: the number of bytes after the attributes.
    /// - Returns: the bytes.
    static func front(attributes: Int, back: Int) -> [UInt8] {
        // From the inside out: each element's length includes all bytes in it, including those after the attributes.
        var front = DER.header(.set, attributes)
        func wrap(in tag: DER.Tag, after first: [UInt8] = [], before trailing: Int = 0) {
            front = DER.header(tag, first.count + front.count + attributes + trailing) + first + front
        }
        wrap(in: .octetString)
        wrap(in: .explicit0)
        wrap(in: .sequence, after: data)
        wrap(in: .sequence, after: DER.integer(1) + DER.setOf([sha256]), before: back)
        wrap(in: .explicit0, before: back)
        wrap(in: .sequence, after: signedData, before: back)
        return front
    }

    /// Returns the bytes of the message after the attributes.
    static func back(_ signature: [UInt8]) -> [UInt8] {
        let signer = DER.sequence(
            DER.integer(1),
            DER.sequence(DER.sequence(), DER.integer(0)),
            sha256,
            hmacWithSHA256,
            DER.element(.octetString, signature)
        )
        return DER.setOf([signer])
    }

    private static let data = DER.objectIdentifier([1, 2, 840, 113549, 1, 7, 1])
    private static let signedData = DER.objectIdentifier([1, 2, 840, 113549, 1, 7, 2])
    private static let sha256 = DER.sequence(DER.objectIdentifier([2, 16, 840, 1, 101, 3, 4, 2, 1]), DER.null)
    private static let hmacWithSHA256 = DER.sequence(DER.objectIdentifier([1, 2, 840, 113549, 2, 9]), DER.null)
}

extension JWSPayload {
    /// Decodes and verifies the payload of a JWS.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - signer: the signer that must have signed the JWS.
    /// - Throws: the signer's reason for a refusal; a signer with certificates also refuses a payload without a date. A
    ///   ``ReceiptRefusal`` for a payload of another kind, and for one from an environment other than the signer's.
    public init(verifying jws: String, signer: any PayloadSigner) throws {
        let data = try signer.payload(of: jws) { data in
            // The date of another kind of payload is read too, so that the error names the kind.
            let payload = try? UntrustedJSON.decode(Self.self, from: data)
            return payload?.signingDate.date ?? SigningDate(of: data)?.date
        }
        guard let payload = try? UntrustedJSON.decode(Self.self, from: data) else {
            throw ReceiptRefusal(.malformed, "The store signed this, but its payload is of another kind.")
        }
        guard payload.environmentName == signer.environment else {
            throw ReceiptRefusal(environment: payload.environmentName, judgedIn: signer.environment)
        }
        self = payload
    }
}
