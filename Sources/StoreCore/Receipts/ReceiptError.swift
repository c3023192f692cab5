/// The reason why a receipt could not be made.
public struct ReceiptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence that names the cause, without anything from the receipt.
    ///
    /// Its wording is not stable.
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The reason.
    public var description: String { reason }
}
