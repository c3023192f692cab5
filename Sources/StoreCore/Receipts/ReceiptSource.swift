/// A store that knows whether its app receipt has changed.
protocol ReceiptSource {
    /// The device's app receipt, unless it says what a known one says.
    func receipt(unless known: ReceiptVersion?) -> ReceiptNews
}

/// What an app receipt lists, however it was made and whenever.
struct ReceiptVersion: Equatable, Sendable {
    let entries: ReceiptEntries.Identity
    let entryCount: Int
    /// All but the entries.
    ///
    /// Its creation date is that of the last refresh, and its opaque value is empty.
    let rest: AppReceipt

    static func == (left: Self, right: Self) -> Bool {
        left.entries === right.entries && left.entryCount == right.entryCount && left.rest == right.rest
    }
}

/// What has become of an app receipt.
enum ReceiptNews {
    /// It says what it said.
    case unchanged
    /// There is none.
    case none
    case changed(ReceiptImage, ReceiptVersion)
}
