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

    /// Reads an identifier from its ``description``; nil for anything else.
    package init?(_ text: String) {
        guard text.utf8.count == 16, text.first?.isHexDigit == true, let bits = UInt64(text, radix: 16) else {
            return nil
        }
        rawValue = bits
    }
}

extension JournalID {
    /// Decodes an identifier from sixteen hexadecimal digits, or from the number that the first version wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            self.init(rawValue: try container.decode(UInt64.self))
            return
        }
        guard let journal = JournalID(text) else {
            let reason = "A journal is sixteen hexadecimal digits"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: reason)
        }
        self = journal
    }

    /// Encodes the identifier as sixteen hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
