import Foundation

/// The signature of a device's app receipt and all bytes but the entries, from which the receipt is assembled again
/// without signing it.
///
/// It does not keep the entries: a second copy of them would have to be copied when one is added.
struct SignedReceipt: Sendable {
    private let version: ReceiptVersion
    private let creationDate: Date
    private let front: [UInt8]
    private let back: [UInt8]
    /// Whether the entries are between the two; a sealed receipt is in one piece.
    private let hasEntries: Bool

    /// Keeps the signed bytes of an image.
    ///
    /// - Parameters:
    ///   - image: the receipt.
    ///   - version: its content.
    ///   - creationDate: its creation date.
    init(_ image: ReceiptImage, version: ReceiptVersion, creationDate: Date) {
        self.version = version
        self.creationDate = creationDate
        front = image.front
        back = image.back
        hasEntries = image.entries.identity === version.entries
    }

    /// Returns the receipt if it has a content and a creation date.
    ///
    /// - Parameters:
    ///   - version: the content.
    ///   - creationDate: the creation date.
    ///   - entries: the entries of that version.
    /// - Returns: the signed receipt; nil if this is another one.
    func image(version: ReceiptVersion, creationDate: Date, behind entries: ReceiptEntries) -> ReceiptImage? {
        guard version == self.version, creationDate == self.creationDate else { return nil }
        return ReceiptImage(front: front, entries: hasEntries ? entries : ReceiptEntries(), back: back)
    }
}
