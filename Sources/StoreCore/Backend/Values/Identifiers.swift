/// The number of a command: the idempotency key with which a store executes the command exactly once.
///
/// A queue has one submission under way at a time and sends its commands in the order of their numbers. So when a store
/// receives number n of a journal's opening, every smaller number has been acknowledged or will never be sent. A store
/// therefore needs to remember one number for each ``JournalID``: the highest that it accepted. A command with that or
/// a smaller number is a repetition, to be acknowledged but not executed again. A queue whose journal has since been
/// opened by another queue numbers its finishes under a separate opening, because the other queue sends the journal's
/// commands.
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

/// The identifier of one opening of one journal, in which a queue numbers its commands.
///
/// Every launch of an app has its own, so that a number sent just before a crash is never assigned to another command.
public struct JournalID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The identifier's 64 bits.
    public let rawValue: UInt64
    /// Creates an identifier from its bits, for journals that store their identifiers and for reproducible runs.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Returns a new unique identifier.
    public static func unique() -> JournalID { JournalID(rawValue: .random(in: .min ... .max)) }
    /// The identifier in sixteen hexadecimal digits.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Creates an identifier from its ``description``; returns nil for any other text.
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
/// Created by ``SandboxDevice/makeToken()``. Whoever has the text can buy on the device: therefore neither a token's
/// description nor its reflection contains it.
public struct DeviceToken: Hashable, Sendable {
    /// The token's text: 43 characters in the URL-safe alphabet of Base64.
    public let text: String

    /// Creates a token from its text.
    ///
    /// - Parameter text: the ``text`` of a token; the result is nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count == Base64URL.length(Self.byteCount),
            Base64URL.decode(Array(text.utf8)[...])?.count == Self.byteCount
        else { return nil }
        self.text = text
    }

    /// Creates a token from the system's random bits.
    init() { text = [UInt8].randomKey().withUnsafeBytes { String(decoding: Base64URL.encode($0), as: UTF8.self) } }

    private static var byteCount: Int { 32 }
}

extension DeviceToken: CustomStringConvertible, CustomReflectable {
    /// The type's name; the secret is left out.
    public var description: String { "DeviceToken" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A queue's position in its store's updates.
///
/// A store numbers the changes that concern one device, so positions only grow. Before the changes, it may send a
/// snapshot of the unfinished transactions in numbered parts, all with the position at which the snapshot was taken. A
/// cursor without a part is at the end of the snapshot or after it.
public struct UpdateCursor: Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
    /// The position of the last change received.
    public var position: Int
    /// The number of parts of the snapshot received; nil once the snapshot is complete.
    public var part: Int?

    /// Creates a cursor among the changes, or within a snapshot.
    public init(position: Int, part: Int? = nil) {
        self.position = position
        self.part = part
    }

    /// Compares positions, then parts of the snapshot; the end of the snapshot is after all of its parts.
    public static func < (left: UpdateCursor, right: UpdateCursor) -> Bool {
        (left.position, left.part ?? .max) < (right.position, right.part ?? .max)
    }

    /// The position, followed by the part if the cursor is within a snapshot.
    public var description: String { part.map { "\(position)#\($0)" } ?? "\(position)" }
}
