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
