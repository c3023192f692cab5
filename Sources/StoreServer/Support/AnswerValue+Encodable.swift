import StoreCore

/// So that a view signs it, as it signs payloads.
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
