/// A store that knows whether its app receipt has changed.
protocol ReceiptSource {
    /// Returns the device's app receipt, unless its content is that of a known version.
    func receipt(unless known: ReceiptVersion?) -> ReceiptNews
}

/// The content of an app receipt, independent of how and when it was made.
struct ReceiptVersion: Equatable, Sendable {
    let entries: ReceiptEntries.Identity
    let entryCount: Int
    /// The receipt without its entries.
    ///
    /// Its creation date is that of the last refresh, and its opaque value is empty.
    let rest: AppReceipt

    static func == (left: Self, right: Self) -> Bool {
        left.entries === right.entries && left.entryCount == right.entryCount && left.rest == right.rest
    }
}

/// The state of an app receipt compared with a known version.
enum ReceiptNews {
    /// The content is unchanged.
    case unchanged
    /// There is no receipt.
    case none
    case changed(ReceiptImage, ReceiptVersion)
}
