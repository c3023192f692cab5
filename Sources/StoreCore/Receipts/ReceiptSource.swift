/// A store that knows whether its app receipt has changed.
protocol ReceiptSource {
    /// Returns the device's app receipt, unless its content is that of a known version.
    func receipt(unless known: ReceiptVersion?) -> ReceiptNews
}

/// The state of an app receipt compared with a known version.
enum ReceiptNews {
    /// The content is unchanged.
    case unchanged
    /// There is no receipt.
    case none
    case changed(ReceiptImage, ReceiptVersion)
}
