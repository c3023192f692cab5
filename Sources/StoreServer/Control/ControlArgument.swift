import Foundation

/// An argument in JSON: a text, a number, a truth value or null.
struct ControlArgument: Decodable {
    /// The value as a word; nil for null.
    let word: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            word = nil
        } else if let isOn = try? container.decode(Bool.self) {
            word = "\(isOn)"
        } else if let number = try? container.decode(Decimal.self) {
            word = "\(number)"
        } else {
            word = try container.decode(String.self)
        }
    }
}
