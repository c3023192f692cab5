import Foundation

/// Foundation's JSON parser for data that somebody else wrote.
///
/// The parser refuses more than 512 levels, but traps instead of throwing where the bracket that opens the next level is the
/// last character of the data (Foundation of Swift 6.3). No JSON ends with an opening bracket, so that such data is refused
/// before it is parsed.
package enum UntrustedJSON {
    /// Decodes a value.
    ///
    /// - Throws: a `DecodingError` for data of any content and length that is not JSON of this type.
    package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        guard !endsWithOpeningBracket(data) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: unexpectedEnd))
        }
        return try JSONDecoder().decode(type, from: data)
    }

    /// Returns the dictionary, array, text or number that the data is.
    ///
    /// - Throws: a `CocoaError` for data that is not JSON.
    package static func object(from data: Data) throws -> Any {
        guard !endsWithOpeningBracket(data) else {
            throw CocoaError(.propertyListReadCorrupt, userInfo: [NSDebugDescriptionErrorKey: unexpectedEnd])
        }
        return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    }

    private static let unexpectedEnd = "Unexpected end of file"

    /// Whether the last character opens an array or an object.
    ///
    /// In UTF-16 and UTF-32 zeros may follow its byte.
    private static func endsWithOpeningBracket(_ data: Data) -> Bool {
        guard let last = data.last(where: { $0 != 0 }) else { return false }
        return last == UInt8(ascii: "[") || last == UInt8(ascii: "{")
    }
}
