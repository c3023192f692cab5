import Foundation

extension HMACReceiptSigner: PayloadSigner {
    /// The header `{"alg":"HS256","typ":"JWT"}` in Base64, with the dot behind it.
    ///
    /// No receipt's signed message begins with these characters, so that no signature serves for both.
    private static let header = Array("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.".utf8)

    /// Signs a payload with the algorithm HS256; never throws.
    public func jws(of payload: Data) -> String {
        var text = Self.header + payload.withUnsafeBytes(Base64URL.encode)
        let signature = sign(Data(text))
        text.append(UInt8(ascii: "."))
        text += signature.withUnsafeBytes(Base64URL.encode)
        return String(decoding: text, as: UTF8.self)
    }

    /// Verifies a JWS of this signer's key, of which one encoding is accepted.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - signingDate: not called: there are no certificates.
    /// - Returns: the payload.
    /// - Throws: a ``ReceiptRefusal`` with ``ReceiptVerification/Status/malformed`` or
    ///   ``ReceiptVerification/Status/notAuthentic``.
    public func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data {
        let text = Array(jws.utf8)
        let dot = text.count - Base64URL.length(signatureLength) - 1
        guard text.starts(with: Self.header), dot >= Self.header.count, text[dot] == UInt8(ascii: "."),
            let payload = Base64URL.decode(text[Self.header.count..<dot]),
            let signature = Base64URL.decode(text[(dot + 1)...])
        else {
            throw ReceiptRefusal(.malformed, "The text is not a JWS with the algorithm HS256 in its exact form.")
        }
        guard isValid(signature: Data(signature), for: Data(text[..<dot])) else {
            throw ReceiptRefusal(.notAuthentic, "The JWS's signature is not this store's.")
        }
        return Data(payload)
    }
}
