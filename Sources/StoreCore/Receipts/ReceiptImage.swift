import Foundation

/// An app receipt in three parts, of which the middle one only grows from receipt to receipt.
struct ReceiptImage: Sendable {
    /// The lengths, and what else comes before the attributes.
    let front: [UInt8]
    let entries: ReceiptEntries
    /// What changes with each receipt, and the signature.
    let back: [UInt8]

    /// How many bytes the receipt has.
    var byteCount: Int { front.count + entries.byteCount + back.count }

    /// The whole receipt.
    var data: Data { Data(front + entries.bytes(from: 0) + back) }
}

extension ReceiptImage {
    /// Bytes that somebody else made, of which every one may change.
    init(_ receipt: Data) {
        self.init(front: [], entries: ReceiptEntries(), back: [UInt8](receipt))
    }
}
