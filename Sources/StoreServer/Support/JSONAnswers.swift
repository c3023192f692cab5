import Foundation
import StoreCore
import StoreScenario

extension AnswerValue {
    /// Returns a date in the form of the App Store's servers: milliseconds since 1970.
    static func date(_ date: Date) -> AnswerValue { .number(Int(PayloadDate(date).milliseconds)) }
}

/// Encodable, to let ``ServerView`` sign it like a payload.
extension AnswerValue: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .bool(let bool): try container.encode(bool)
        case .list(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}

/// A member of a JSON object whose value is nil if it has another type, so the other members can still be decoded.
struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws { value = try? decoder.singleValueContainer().decode(Value.self) }
}

extension JSONValue {
    /// Returns a number of seconds, with the digits with which it was given.
    static func seconds(_ seconds: Double) -> JSONValue { .decimal(Decimal(string: "\(seconds)") ?? Decimal(seconds)) }

    /// Returns the name of a type of JSON in a sentence.
    static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is any FixedWidthInteger.Type: "a whole number"
        case is Double.Type, is Decimal.Type: "a number"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }

    /// The UTF-8 encoding of the value, in one line.
    var data: Data { Data(encoded.utf8) }

    /// Truncates a text, or each text in an object, that is too long for a page.
    func shortened(to limit: Int) -> JSONValue {
        switch self {
        case .string(let text): .string(text.shortened(to: limit))
        case .object(let members): .object(members.map { Member(key: $0.key, value: $0.value.shortened(to: limit)) })
        default: self
        }
    }
}

extension String {
    /// Truncates a text that is too long for a page.
    ///
    /// - Parameter limit: the maximum UTF-8 length of a text that stays unchanged, and the number of characters that
    ///   remain of a longer text.
    /// - Returns: the text, or its beginning followed by the number of omitted characters.
    func shortened(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        return "\(prefix(limit))… (\(dropFirst(limit).count) more characters)"
    }
}
