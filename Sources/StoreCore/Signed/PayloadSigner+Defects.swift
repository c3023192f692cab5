import Foundation

extension PayloadSigner {
    /// Signs a payload in a form that has a defect, a broken signature if the defect is a certificate's.
    public func jws(of payload: Data, with defect: SignatureDefect) throws -> String { try tampered(payload, defect) }

    /// Signs a payload, and changes the text or the payload so that it has a defect.
    package func tampered(_ payload: Data, _ defect: SignatureDefect) throws -> String {
        switch defect {
        case .invalidEncoding:
            try jws(of: payload).replacingOccurrences(of: ".", with: ".*")
        case .invalidCertificateChain, .revokedCertificate, .invalidSignature:
            try brokenSignature(of: payload)
        case .missingRequiredProperties:
            try jws(
                of: Self.changed(payload) { object in
                    for name in ["bundleId", "productId"] { object[name] = nil }
                }
            )
        case .invalidDeviceVerification:
            try jws(of: Self.changed(payload) { $0["deviceVerification"] = Data(count: 48).base64EncodedString() })
        }
    }

    /// Signs a payload, and changes one bit of the signature.
    package func brokenSignature(of payload: Data) throws -> String {
        let text = try jws(of: payload)
        guard let dot = text.lastIndex(of: "."),
            var signature = Base64URL.decode(Array(text[text.index(after: dot)...].utf8)[...]), !signature.isEmpty
        else { return text + "A" }
        signature[0] ^= 1
        return text[...dot] + String(decoding: signature.withUnsafeBytes(Base64URL.encode), as: UTF8.self)
    }

    private static func changed(_ payload: Data, _ change: (inout [String: Any]) -> Void) throws -> Data {
        guard var object = try JSONSerialization.jsonObject(with: payload) as? [String: Any] else { return payload }
        change(&object)
        return try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    }
}
