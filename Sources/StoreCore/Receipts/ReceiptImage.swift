import Foundation

/// An encoded app receipt in three parts, of which the middle one only grows from receipt to receipt.
struct ReceiptImage: Sendable {
    /// The lengths, and all else before the attributes.
    let front: [UInt8]
    let entries: ReceiptEntries
    /// The part that changes with each receipt, and the signature.
    let back: [UInt8]

    /// The number of bytes of the receipt.
    var byteCount: Int { front.count + entries.byteCount + back.count }

    /// The whole receipt.
    var data: Data { Data(front + entries.bytes(from: 0) + back) }
}

extension ReceiptImage {
    /// Creates an image of another party's bytes, of which every one may change.
    init(_ receipt: Data) {
        self.init(front: [], entries: ReceiptEntries(), back: [UInt8](receipt))
    }
}
