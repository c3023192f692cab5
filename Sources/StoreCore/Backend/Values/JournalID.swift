/// The name of one opening of one journal, within which a queue numbers its commands.
///
/// Every launch has a name of its own, so that a number that was sent and then lost with the process is never given to
/// another command.
public struct JournalID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The identifier's 64 bits.
    public let rawValue: UInt64
    /// Makes an identifier with given bits, for journals that keep their name and for runs that are replayed.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Returns a new identifier that no other journal has.
    public static func unique() -> JournalID { JournalID(rawValue: .random(in: .min ... .max)) }
    /// Sixteen hexadecimal digits.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
