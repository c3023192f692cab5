import Foundation

/// The outer property list of a transaction receipt, with the signed text and its signature in Base64.
///
/// The signature covers the version byte and the purchase information. All other parts have only one valid encoding, so
/// no byte of a receipt can be changed without being noticed.
package struct ReceiptEnvelope: ~Copyable {
    /// The name of the environment in which the receipt was signed.
    package let environment: String
    /// The version byte, the signature, the certificate's length in four bytes (big-endian), and the certificate.
    private let blob: ByteWriter
    /// The message that the signature covers: the version byte, and the purchase information.
    private let message: ByteWriter

    static let production = "Production"
    /// The environment's name in Xcode's test sessions.
    package static let xcode = "Xcode"

    /// The version byte, the signature, the certificate's length in four bytes (big-endian), and the certificate.
    package var signatureBlob: Data { blob.withUnsafeBytes { Data($0) } }

    /// The inner property list, which this type does not decode.
    package var purchaseInformation: Data { withPurchaseInformation { Data($0) } }

    /// Calls a function with the inner property list.
    func withPurchaseInformation<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        message.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropFirst())) }
    }
}

extension ReceiptEnvelope {
    /// Signs a message, and returns its envelope.
    ///
    /// The message is the signer's version byte, followed by the purchase information.
    static func encoded(signing message: borrowing ByteWriter, with signer: any ReceiptSigner) throws -> Data {
        try message.withUnsafeBytes { message in
            let signature = try signer.hmac?.code(for: message) ?? [UInt8](signer.sign(Data(message)))
            guard signature.count == signer.signatureLength else {
                throw ReceiptError("The signer made \(signature.count) bytes, but promises \(signer.signatureLength).")
            }
            let certificate = signer.certificate
            guard let length = UInt32(exactly: certificate.count) else {
                throw ReceiptError("The signer's certificate is too long for its length field.")
            }
            var blob = ByteWriter(capacity: 1 + signature.count + 4 + certificate.count)
            blob.append(signer.signatureVersion)
            signature.withUnsafeBytes { blob.append($0) }
            withUnsafeBytes(of: length.bigEndian) { blob.append($0) }
            certificate.withUnsafeBytes { blob.append($0) }

            var list = OldStylePropertyList.Writer(capacity: (blob.count + message.count) / 3 * 4 + 168)
            list.add("\t\"signature\" = \"") { text in blob.withUnsafeBytes { text.append(base64: $0) } }
            list.add("\t\"purchase-info\" = \"") { text in
                text.append(base64: UnsafeRawBufferPointer(rebasing: message.dropFirst()))
            }
            if signer.environment != production { list.add("\t\"environment\" = \"", signer.environment) }
            // In Apple's receipts, the number of the machines that served the app; constant here.
            list.add("\t\"pod\" = \"", "100")
            list.add("\t\"signing-status\" = \"", "0")
            return list.end().finish()
        }
    }

    /// Decodes an envelope; nil for data that ``encoded(signing:with:)`` would not have written.
    package init?(_ receipt: Data) {
        var blob = ByteWriter(capacity: 64)
        var message = ByteWriter(capacity: receipt.count / 4 * 3 + 1)
        guard let environment = receipt.withUnsafeBytes({ Self.decode($0, &blob, &message) }) else { return nil }
        self.environment = environment
        self.blob = blob
        self.message = message
    }

    /// Decodes the signed parts of an envelope, and returns its environment.
    private static func decode(
        _ receipt: UnsafeRawBufferPointer,
        _ blob: inout ByteWriter,
        _ message: inout ByteWriter
    ) -> String? {
        var reader = OldStylePropertyList.Reader(receipt)
        guard reader.skip("{\n\t\"signature\" = \""), let signature = reader.untilQuote(),
            blob.append(decodingBase64: UnsafeRawBufferPointer(rebasing: receipt[signature])),
            reader.skip(";\n\t\"purchase-info\" = \""), let information = reader.untilQuote(), reader.skip(";\n")
        else { return nil }
        message.append(blob.withUnsafeBytes { $0.first ?? 0 })
        guard message.append(decodingBase64: UnsafeRawBufferPointer(rebasing: receipt[information])) else { return nil }
        var environment = production
        if reader.skip("\t\"environment\" = \"") {
            guard let named = reader.string(), named != production, reader.skip(";\n") else { return nil }
            environment = named
        }
        guard reader.skip("\t\"pod\" = \"100\";\n\t\"signing-status\" = \"0\";\n}"), reader.isAtEnd else { return nil }
        return environment
    }
}

extension ReceiptEnvelope {
    /// Returns whether the signature was made by the signer, or with a certificate that the signer trusts.
    func isAuthentic(to signer: any ReceiptSigner) -> Bool {
        let length = signer.signatureLength
        return blob.withUnsafeBytes { blob in
            guard blob.count - 5 >= length, blob[0] == signer.signatureVersion else { return false }
            let field = blob.loadUnaligned(fromByteOffset: 1 + length, as: UInt32.self)
            let (signature, certificate) = (blob[1..<(1 + length)], blob[(5 + length)...])
            guard Int(UInt32(bigEndian: field)) == certificate.count else { return false }
            return message.withUnsafeBytes { message in
                guard let signer = signer.hmac else {
                    return signer.isValid(
                        signature: Data(signature),
                        certificate: Data(certificate),
                        for: Data(message)
                    )
                }
                return certificate.isEmpty && signer.isValid(UnsafeRawBufferPointer(rebasing: signature), for: message)
            }
        }
    }
}

/// The encoded purchases with which successive receipts begin, and the state of signing them.
///
/// Appending to a copy leaves the original unchanged.
struct ReceiptEntries: Sendable {
    /// The identity of entries, which their copies share; entries created separately have different identities.
    final class Identity: Sendable {}

    let identity = Identity()
    private var entries = SegmentedArray<[UInt8]>()
    private(set) var byteCount = 0
    /// The state of an HMAC signer after the entries; nil for other signers.
    private var message: HMACSHA256.Message?
    private var form = AppReceipt.Form.hmac

    /// Creates empty entries, for receipts of a signer.
    init(signer: any ReceiptSigner) {
        message = signer.hmac?.message
        form = AppReceipt.Form(signer)
    }

    /// Creates empty entries.
    init() {}

    /// The number of entries.
    var count: Int { entries.count }

    /// Adds an encoded purchase at the end.
    ///
    /// - Throws: the reason why the purchase cannot be encoded. The entries are then unchanged.
    mutating func append(_ purchase: AppReceipt.Purchase) throws {
        let entry =
            switch form {
            case .hmac: try AppReceipt.entry(for: purchase)
            case .appStore, .xcode: try AppReceipt.sealedEntry(for: purchase, form)
            }
        entries.append(entry)
        byteCount += entry.count
        entry.withUnsafeBytes { message?.update($0) }
    }

    /// Returns the signature over all entries and the remaining attributes of a receipt.
    func signature(with remaining: [UInt8], by signer: any ReceiptSigner) throws -> [UInt8] {
        if var message {
            remaining.withUnsafeBytes { message.update($0) }
            return message.code
        }
        return [UInt8](try signer.sign(Data(bytes(from: 0) + remaining)))
    }

    /// Calls a function with each entry.
    func forEach(_ body: ([UInt8]) -> Void) {
        for index in 0..<entries.count { body(entries[index]) }
    }

    /// Returns the bytes of the entries from an index on.
    func bytes(from first: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        if first == 0 { bytes.reserveCapacity(byteCount) }
        for index in first..<entries.count { bytes += entries[index] }
        return bytes
    }
}

/// An encoded app receipt in three parts.
///
/// The middle part, the entries, usually only grows from one receipt to the next.
struct ReceiptImage: Sendable {
    /// The part before the attributes, which contains lengths.
    let front: [UInt8]
    let entries: ReceiptEntries
    /// The attributes that change with each receipt, and the signature.
    let back: [UInt8]

    /// The number of bytes of the receipt.
    var byteCount: Int { front.count + entries.byteCount + back.count }

    /// The whole receipt.
    var data: Data { Data(front + entries.bytes(from: 0) + back) }
}

extension ReceiptImage {
    /// Creates an image from a complete receipt, such as a sealed one, of which no part can be reused.
    init(_ receipt: Data) { self.init(front: [], entries: ReceiptEntries(), back: [UInt8](receipt)) }
}

/// The content of an app receipt without its encoding, by which two receipts can be compared.
struct ReceiptVersion: Equatable, Sendable {
    let entries: ReceiptEntries.Identity
    let entryCount: Int
    /// The receipt without its entries.
    ///
    /// Its creation date is that of the last refresh, and its opaque value is empty.
    let remainder: AppReceipt

    static func == (left: Self, right: Self) -> Bool {
        left.entries === right.entries && left.entryCount == right.entryCount && left.remainder == right.remainder
    }
}
