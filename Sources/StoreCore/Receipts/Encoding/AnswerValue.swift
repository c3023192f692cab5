import Foundation

/// A JSON value, of the kinds that occur in responses of the App Store's servers.
package enum AnswerValue: Hashable, Sendable {
    case text(String)
    case number(Int)
    case bool(Bool)
    case list([AnswerValue])
    case object([String: AnswerValue])

    /// Creates a JSON object whose values are strings.
    package init(_ fields: [String: String]) { self = .object(fields.mapValues(AnswerValue.text)) }

    /// The value as JSON with sorted keys, so that equal responses have the same bytes.
    ///
    /// The bytes are those of `JSONEncoder`, which takes more than ten times as long: encoding a page of a history
    /// would take four times as long as the remainder of its request.
    package var json: Data {
        var text = ByteWriter(capacity: 1024)
        write(to: &text)
        return text.finish()
    }

    private func write(to text: inout ByteWriter) {
        switch self {
        case .text(let value): text.append(quoted: value)
        case .number(let number): text.append(decimal: Int64(number))
        case .bool(let bool): text.append(bool ? "true" : "false")
        case .list(let values):
            text.append("[")
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(",") }
                value.write(to: &text)
            }
            text.append("]")
        case .object(let members):
            text.append("{")
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text.append(",") }
                text.append(quoted: member.key)
                text.append(":")
                member.value.write(to: &text)
            }
            text.append("}")
        }
    }
}

extension AnswerValue: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self = .text(text) }
}

extension ByteWriter {
    /// Appends a text as a JSON string.
    fileprivate mutating func append(quoted text: String) {
        append("\"")
        var text = text
        text.withUTF8 { characters in
            if characters.needsEscapes {
                for character in characters { append(escaped: character) }
            } else {
                append(UnsafeRawBufferPointer(characters))
            }
        }
        append("\"")
    }

    private mutating func append(escaped character: UInt8) {
        switch character {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x08: append("\\b")
        case 0x0c: append("\\f")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\r"): append("\\r")
        case UInt8(ascii: "\t"): append("\\t")
        case ..<0x20:
            append(character < 0x10 ? "\\u000" : "\\u001")
            append(Array("0123456789abcdef".utf8)[Int(character & 0xf)])
        default: append(character)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether there is a character that has to be escaped in JSON.
    ///
    /// Examines eight bytes at a time, without an early exit, since few texts need escapes.
    fileprivate var needsEscapes: Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let bytes = UnsafeRawBufferPointer(self)
        let whole = count & ~7
        var found: UInt64 = 0
        var offset = 0
        while offset < whole {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            // Sets the highest bit of each byte that is below 32, or is a quote or a backslash, which an exclusive or
            // turns into 0.
            found |= (word &- (ones &* 0x20)) & ~word
            found |= (quotes &- ones) & ~quotes
            found |= (backslashes &- ones) & ~backslashes
            offset &+= 8
        }
        return found & (ones &* 0x80) != 0
            || self[whole...].contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
    }
}
