/// The number of a command: the idempotency key under which a store takes it exactly once.
///
/// A queue has one submission under way at a time and sends its commands in the order of their numbers. So when a store
/// sees number n of a journal's opening, every smaller one has been acknowledged or will never be sent. What is finished
/// on a queue that another has followed has an opening of its own, since the next queue sends what is left. A store
/// therefore needs to remember one number for each ``JournalID``, the highest it accepted. A number not above it is a
/// repetition, to be acknowledged and not executed again.
public struct OrderID: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The opening of a journal that gave the number.
    public let journal: JournalID
    /// The running number, from 1.
    public let number: Int
    /// Names a command by its journal and number.
    public init(journal: JournalID, number: Int) {
        self.journal = journal
        self.number = number
    }
    /// The journal and the number.
    public var description: String { "\(journal)/\(number)" }
}

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

/// A secret by which a device elsewhere shows its store which device it is: 256 random bits.
///
/// ``SandboxDevice/makeToken()`` makes one. Whoever has the text buys on the device, so that neither a description nor a
/// reflection of a token shows it.
public struct DeviceToken: Hashable, Sendable {
    /// The token's text: 43 characters of Base64 for URLs.
    public let text: String

    /// Reads a token from its text.
    ///
    /// - Parameter text: the ``text`` of a token; anything else makes nil.
    public init?(_ text: String) {
        guard text.utf8.count == Base64URL.length(Self.byteCount),
            Base64URL.decode(Array(text.utf8)[...])?.count == Self.byteCount
        else { return nil }
        self.text = text
    }

    /// Makes a new token from the system's random bits.
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
/// A store numbers the changes that concern one device, so that positions only grow. Before the changes comes the
/// snapshot of unfinished transactions, in numbered parts, all at the position where it was taken. A cursor without a
/// part lies behind the whole snapshot.
public struct UpdateCursor: Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
    /// The position of the last change seen.
    public var position: Int
    /// The number of the snapshot's parts seen; nil behind the snapshot.
    public var part: Int?

    /// Makes a cursor among the changes, or within a snapshot.
    public init(position: Int, part: Int? = nil) {
        self.position = position
        self.part = part
    }

    /// Orders by position; within one position the snapshot's parts come in order, then the place behind it.
    public static func < (left: UpdateCursor, right: UpdateCursor) -> Bool {
        (left.position, left.part ?? .max) < (right.position, right.part ?? .max)
    }

    /// The position, and the part within a snapshot.
    public var description: String { part.map { "\(position)#\($0)" } ?? "\(position)" }
}
