import Foundation

/// What a receipt travels in: the outer property list, with the signed text and its signature in Base64.
///
/// The signature covers the version byte and the purchase information. Everything else has one permitted spelling, so
/// that no byte of a receipt can be changed unnoticed.
struct ReceiptEnvelope {
    /// The inner property list, whose meaning the envelope does not know.
    var purchaseInformation: [UInt8]
    /// Which store vouches.
    var environment: String
    /// The version byte, the signature, the certificate's length in four bytes (big-endian), the certificate.
    var signatureBlob: [UInt8]

    static let production = "Production"

    // The number of the machines that served the app. There is only one store here, so it is always the same.
    private static let pod = "100"
    private static let signingStatus = "0"
}

extension ReceiptEnvelope {
    var encoded: Data {
        let information = Data(purchaseInformation).base64EncodedData()
        let signature = Data(signatureBlob).base64EncodedData()
        var list = OldStylePropertyList.Writer(capacity: information.count + signature.count + 160)
        list.add("signature", plain: signature)
        list.add("purchase-info", plain: information)
        if environment != Self.production { list.add("environment", environment) }
        list.add("pod", Self.pod)
        list.add("signing-status", Self.signingStatus)
        return Data(list.end())
    }

    /// Nil for anything that ``encoded`` would not have written.
    init?(_ receipt: Data) {
        guard let entries = OldStylePropertyList.decode([UInt8](receipt)), entries.count >= 4 else { return nil }
        let environment = entries[2].key == "environment" ? entries[2].value : Self.production
        let keys = ["signature", "purchase-info"] + (environment == Self.production ? [] : ["environment"])
        guard entries.map(\.key) == keys + ["pod", "signing-status"],
            entries.suffix(2).map(\.value) == [Self.pod, Self.signingStatus],
            let blob = Self.bytes(base64: entries[0].value),
            let information = Self.bytes(base64: entries[1].value)
        else { return nil }
        self.init(purchaseInformation: information, environment: environment, signatureBlob: blob)
    }

    /// Base64 in its one canonical spelling: the unused bits of the last character are zero.
    private static func bytes(base64: String) -> [UInt8]? {
        guard let data = Data(base64Encoded: base64), data.base64EncodedString() == base64 else { return nil }
        return [UInt8](data)
    }
}

extension ReceiptEnvelope {
    /// Signs the purchase information.
    init(signing information: [UInt8], with signer: any ReceiptSigner) throws {
        let version = signer.signatureVersion
        let signature = try signer.sign(Self.message(version, information))
        guard signature.count == signer.signatureLength else {
            throw ReceiptError("The signer made \(signature.count) bytes, but promises \(signer.signatureLength).")
        }
        let certificate = signer.certificate
        guard let length = UInt32(exactly: certificate.count) else {
            throw ReceiptError("The signer's certificate is too long for its length field.")
        }
        let blob = [version] + signature + withUnsafeBytes(of: length.bigEndian) { [UInt8]($0) } + certificate
        self.init(purchaseInformation: information, environment: signer.environment, signatureBlob: blob)
    }

    /// Whether the signer made the signature, or trusts the certificate that did.
    func isAuthentic(to signer: any ReceiptSigner) -> Bool {
        guard signatureBlob.first == signer.signatureVersion else { return false }
        let rest = signatureBlob.dropFirst()
        let signature = rest.prefix(signer.signatureLength)
        let lengthField = rest.dropFirst(signer.signatureLength).prefix(4)
        let certificate = rest.dropFirst(signer.signatureLength + 4)
        guard signature.count == signer.signatureLength, lengthField.count == 4,
            lengthField.reduce(0, { $0 << 8 | Int($1) }) == certificate.count
        else { return false }
        return signer.isValid(
            signature: Data(signature),
            certificate: Data(certificate),
            for: Self.message(signer.signatureVersion, purchaseInformation)
        )
    }

    private static func message(_ version: UInt8, _ information: [UInt8]) -> Data {
        var message = Data(capacity: information.count + 1)
        message.append(version)
        message.append(contentsOf: information)
        return message
    }
}
