import Foundation

/// What an app receipt travels in: a payload and its signature, as SignedData of the Cryptographic Message Syntax.
///
/// Version 1, SHA-256, one signer without signed attributes, whose signature is that of the payload itself, and no
/// certificates: the algorithm is the HMAC of RFC 8018, and the signer has neither a name nor a number.
struct SignedPayload {
    let payload: [UInt8]
    let signature: [UInt8]

    /// In front of the payload and behind it, one spelling is permitted, so that no byte can be changed unnoticed.
    var encoded: Data {
        let content = DER.sequence(
            Self.data,
            DER.element(.explicit0, DER.element(.octetString, payload))
        )
        let signer = DER.sequence(
            DER.integer(1),
            DER.sequence(DER.sequence(), DER.integer(0)),
            Self.sha256,
            Self.hmacWithSHA256,
            DER.element(.octetString, signature)
        )
        let signedData = DER.sequence(DER.integer(1), DER.setOf([Self.sha256]), content, DER.setOf([signer]))
        return Data(DER.sequence(Self.signedData, DER.element(.explicit0, signedData)))
    }

    init(payload: [UInt8], signature: [UInt8]) {
        self.payload = payload
        self.signature = signature
    }

    /// Nil for anything that ``encoded`` would not have written.
    init?(_ data: Data) {
        var outer = DERReader([UInt8](data))
        guard var contentInfo = outer.open(.sequence), contentInfo.read(.objectIdentifier) != nil,
            var explicit = contentInfo.open(.explicit0), var signedData = explicit.open(.sequence),
            signedData.integer() != nil, signedData.read(.set) != nil,
            var content = signedData.open(.sequence), content.read(.objectIdentifier) != nil,
            var octets = content.open(.explicit0), let payload = octets.read(.octetString),
            var signers = signedData.open(.set), var signer = signers.open(.sequence),
            signer.integer() != nil, signer.read(.sequence) != nil, signer.read(.sequence) != nil,
            signer.read(.sequence) != nil, let signature = signer.read(.octetString)
        else { return nil }
        self.init(payload: Array(payload), signature: Array(signature))
        // Whatever was passed over above is as it must be if the whole is.
        guard encoded == data else { return nil }
    }

    private static let data = DER.objectIdentifier([1, 2, 840, 113549, 1, 7, 1])
    private static let signedData = DER.objectIdentifier([1, 2, 840, 113549, 1, 7, 2])
    private static let sha256 = DER.sequence(DER.objectIdentifier([2, 16, 840, 1, 101, 3, 4, 2, 1]), DER.null)
    private static let hmacWithSHA256 = DER.sequence(DER.objectIdentifier([1, 2, 840, 113549, 2, 9]), DER.null)
}
