import Foundation
import StoreCore

extension KeyKind {
    /// The algorithm with which a key of this kind signs certificates.
    var certificateAlgorithm: (digest: Digest, identifier: [UInt8]) {
        switch self {
        case .p256: (.sha256, AlgorithmIdentifier.ecdsaWithSHA256)
        case .p384: (.sha384, AlgorithmIdentifier.ecdsaWithSHA384)
        case .rsa: (.sha256, AlgorithmIdentifier.rsaWithSHA256)
        }
    }
}

extension Key {
    /// Returns what is to be signed together with this key's signature, in the form of certificates and revocation lists.
    func signed(_ content: [UInt8]) throws(CryptoError) -> Data {
        let (digest, identifier) = kind.certificateAlgorithm
        let signature = try SignatureContext(self, digest).sign(content)
        return Data(DER.sequence(content, identifier, DER.element(.bitString, [0] + signature)))
    }

    /// The key identifier of RFC 5280: the SHA-1 hash of the public key's bits.
    var identifier: [UInt8] {
        var reader = DERReader([UInt8](publicKey))
        guard var info = reader.open(.sequence), info.read(.sequence) != nil, let bits = info.read(.bitString) else {
            return []
        }
        return Digest.sha1.hash(bits.dropFirst())
    }
}
