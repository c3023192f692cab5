import Foundation

/// A JSON value whose keys stay in order.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Int)
    case decimal(Decimal)
    case string(String)
    case array([JSONValue])
    case object([Member])
    /// A value that is already JSON text.
    case raw(String)

    /// A key with its value.
    package struct Member: Hashable, Sendable {
        package let key: String
        package let value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The JSON text, in one line.
    package var encoded: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let text): Self.quoted(text)
        case .array(let values): "[\(values.map(\.encoded).joined(separator: ","))]"
        case .raw(let text): text
        case .object(let members):
            "{\(members.map { "\(Self.quoted($0.key)):\($0.value.encoded)" }.joined(separator: ","))}"
        }
    }

    /// The text of the value in a table.
    var text: String {
        switch self {
        case .null: ""
        case .bool(let value): value ? "yes" : "no"
        case .string(let text): text
        case .array(let values): values.map(\.text).joined(separator: ", ")
        case .number, .decimal, .object, .raw: encoded
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\u{0}"..<" ", "\u{7F}"..<"\u{A0}", "\u{2028}", "\u{2029}":
                quoted += "\\u" + String(format: "%04x", scalar.value)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension JSONValue {
    package static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
    package static func optional(_ amount: Decimal?) -> JSONValue { amount.map(JSONValue.decimal) ?? .null }
    package static func optional(_ number: Int?) -> JSONValue { number.map(JSONValue.number) ?? .null }
    package static func optional(_ date: Date?) -> JSONValue { date.map(JSONValue.date) ?? .null }
    /// Returns a date as ISO 8601 text, in UTC and whole seconds.
    package static func date(_ date: Date) -> JSONValue { .string(date.formatted(.iso8601)) }

    /// Returns an object with the members of two objects, or the first value if either is not an object.
    package static func + (first: JSONValue, second: JSONValue) -> JSONValue {
        guard case .object(let members) = first, case .object(let more) = second else { return first }
        return .object(members + more)
    }

    /// Adds the members of an object to an object.
    static func += (object: inout JSONValue, more: JSONValue) { object = object + more }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(members.map { Member(key: $0.0, value: $0.1) })
    }
}
