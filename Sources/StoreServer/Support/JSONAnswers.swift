import Foundation
import StoreCore

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
