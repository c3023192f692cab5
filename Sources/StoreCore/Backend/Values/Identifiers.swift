/// The number of a command: the idempotency key with which a store executes it exactly once.
///
/// A queue has one submission under way at a time and sends its commands in the order of their numbers. So when a store
/// receives number n of a journal's opening, every smaller one has been acknowledged or will never be sent. A store
/// therefore needs to remember one number for each ``JournalID``, the highest it accepted. A number not above it is a
/// repetition, to be acknowledged and not executed again. Finishes on a queue that has a successor are numbered in another
/// opening, since the successor sends what the queue left.
public struct OrderID: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The opening of a journal that assigned the number.
    public let journal: JournalID
    /// The sequence number, from 1.
    public let number: Int
    /// Creates the number of a command.
    public init(journal: JournalID, number: Int) {
        self.journal = journal
        self.number = number
    }
    /// The journal and the number.
    public var description: String { "\(journal)/\(number)" }
}

/// The identifier of one opening of one journal, within which a queue numbers its commands.
///
/// Every launch has its own, so that a number that was sent and then lost in a crash is never assigned to another command.
public struct JournalID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The identifier's 64 bits.
    public let rawValue: UInt64
    /// Creates an identifier with given bits, for journals that retain theirs and for runs that are replayed.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Returns a new unique identifier.
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

/// A secret with which a remote device identifies itself to its store: 256 random bits.
///
/// Created by ``SandboxDevice/makeToken()``. Whoever has the text can buy on the device, so neither a token's description
/// nor its reflection shows it.
public struct DeviceToken: Hashable, Sendable {
    /// The token's text: 43 characters of Base64 for URLs.
    public let text: String

    /// Creates a token from its text.
    ///
    /// - Parameter text: the ``text`` of a token; the result is nil for anything else.
    public init?(_ text: String) {
        guard text.utf8.count == Base64URL.length(Self.byteCount),
            Base64URL.decode(Array(text.utf8)[...])?.count == Self.byteCount
        else { return nil }
        self.text = text
    }

    /// Creates a token from the system's random bits.
    init() {
        text = [UInt8].randomKey().withUnsafeBytes { String(decoding: Base64URL.encode($0), as: UTF8.self) }
    }

    private static var byteCount: Int { 32 }
}

extension DeviceToken: CustomStringConvertible, CustomReflectable {
    /// The type's name, without the secret.
    public var description: String { "DeviceToken" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A queue's position in its store's updates.
///
/// A store numbers the changes that concern one device, so positions only grow. The snapshot of unfinished transactions
/// precedes them, in numbered parts, all at the position where it was taken. A cursor without a part is after the whole
/// snapshot.
public struct UpdateCursor: Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
    /// The position of the last change seen.
    public var position: Int
    /// The number of the snapshot's parts seen; nil after the snapshot.
    public var part: Int?

    /// Creates a cursor among the changes, or within a snapshot.
    public init(position: Int, part: Int? = nil) {
        self.position = position
        self.part = part
    }

    /// Orders by position, then by the snapshot's part; the end of the snapshot comes last.
    public static func < (left: UpdateCursor, right: UpdateCursor) -> Bool {
        (left.position, left.part ?? .max) < (right.position, right.part ?? .max)
    }

    /// The position, and the part within a snapshot.
    public var description: String { part.map { "\(position)#\($0)" } ?? "\(position)" }
}
