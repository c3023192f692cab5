import Foundation

/// The subset of JSON that a verification response needs.
enum AnswerValue: Encodable {
    case text(String)
    case number(Int)
    case list([AnswerValue])
    case object([String: AnswerValue])

    /// Creates an object of texts.
    init(_ fields: [String: String]) { self = .object(fields.mapValues(AnswerValue.text)) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .list(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }

    /// The JSON with its keys in alphabetical order: the same response has the same bytes.
    var json: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            fatalError("Strings and whole numbers have no JSON: \(error)")
        }
    }
}
