/// Why a receipt could not be made.
public struct ReceiptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence that names the cause, without anything the receipt says.
    ///
    /// Its wording is not stable.
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The sentence.
    public var description: String { reason }
}
