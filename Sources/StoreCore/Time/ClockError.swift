/// The reason why a clock cannot be moved.
public struct ClockError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence that names the cause.
    ///
    /// Its wording is not stable.
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The sentence.
    public var description: String { reason }
}
