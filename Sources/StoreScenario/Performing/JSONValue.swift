import Foundation

/// A value of JSON whose keys stay in order.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Int)
    case decimal(Decimal)
    case string(String)
    case array([JSONValue])
    case object([Member])

    package struct Member: Hashable, Sendable {
        let key: String
        let value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The value in one line.
    package var encoded: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let text): Self.quoted(text)
        case .array(let values): "[\(values.map(\.encoded).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(Self.quoted($0.key)):\($0.value.encoded)" }.joined(separator: ","))}"
        }
    }

    /// The value as it stands in a table.
    var text: String {
        switch self {
        case .null: ""
        case .bool(let value): value ? "yes" : "no"
        case .string(let text): text
        case .array(let values): values.map(\.text).joined(separator: ", ")
        case .number, .decimal, .object: encoded
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
    static func optional(_ amount: Decimal?) -> JSONValue { amount.map(JSONValue.decimal) ?? .null }
    static func optional(_ date: Date?) -> JSONValue { date.map(JSONValue.date) ?? .null }
    /// A moment in UTC.
    static func date(_ date: Date) -> JSONValue { .string(date.formatted(.iso8601)) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(members.map { Member(key: $0.0, value: $0.1) })
    }
}
