import Foundation
import StoreCore

/// A block of data in a PEM text (RFC 7468).
struct PEMBlock {
    enum Label: String {
        case privateKey = "PRIVATE KEY"
        case ellipticCurveKey = "EC PRIVATE KEY"
        case publicKey = "PUBLIC KEY"
        case certificate = "CERTIFICATE"
    }

    let label: Label
    let data: Data

    init(_ label: Label, _ data: Data) { (self.label, self.data) = (label, data) }

    /// Reads the first block with one of these labels; everything else, such as a curve's parameters, is skipped.
    init(first labels: [Label], in text: String) throws(CryptoError) {
        var label: Label?
        var body = ""
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if let open = label {
                guard line == "-----END \(open.rawValue)-----" else {
                    body += line
                    continue
                }
                guard let data = Data(base64Encoded: body) else {
                    throw CryptoError("the PEM's \(open.rawValue) is not in Base64")
                }
                self.init(open, data)
                return
            }
            label = labels.first { line == "-----BEGIN \($0.rawValue)-----" }
        }
        let names = labels.map(\.rawValue).joined(separator: " or ")
        throw CryptoError("there is no \(names) in the PEM, or not all of it")
    }

    /// The block as text.
    var text: String {
        let body = data.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label.rawValue)-----\n\(body)\n-----END \(label.rawValue)-----\n"
    }
}

extension KeyKind {
    /// The algorithm that a key of this kind uses to sign certificates.
    var certificateAlgorithm: (digest: Digest, identifier: [UInt8]) {
        switch self {
        case .p256: (.sha256, AlgorithmIdentifier.ecdsaWithSHA256)
        case .p384: (.sha384, AlgorithmIdentifier.ecdsaWithSHA384)
        case .rsa: (.sha256, AlgorithmIdentifier.rsaWithSHA256)
        }
    }
}

extension Key {
    /// Returns content followed by this key's signature, in the form of certificates and revocation lists.
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
