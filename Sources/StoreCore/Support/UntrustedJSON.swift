import Foundation

/// Foundation's JSON parser, guarded for data from untrusted sources.
///
/// The parser accepts up to 512 levels, at a cost in memory of hundreds of times the data, and traps if the last
/// character is the bracket that opens level 513 (Foundation of Swift 6.3). It also accepts UTF-16 and UTF-32, which
/// RFC 8259 rules out between systems. Both are rejected here before the data is parsed.
package enum UntrustedJSON {
    /// The maximum nesting of arrays and objects; the formats read have fewer than ten levels.
    package static let maximumLevels = 64

    /// Decodes a value.
    ///
    /// - Throws: a `DecodingError` for data of any content and length that is not JSON of this type.
    package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        if let defect = defect(in: data) {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: defect))
        }
        return try JSONDecoder().decode(type, from: data)
    }

    /// Returns the dictionary, array, text or number that the data encodes.
    ///
    /// - Throws: a `CocoaError` for data that is not JSON.
    package static func object(from data: Data) throws -> Any {
        if let defect = defect(in: data) {
            throw CocoaError(.propertyListReadCorrupt, userInfo: [NSDebugDescriptionErrorKey: defect])
        }
        return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    }

    /// Returns the reason for rejecting the data unparsed, in a few words; nil if the parser may decide.
    package static func defect(in data: Data) -> String? {
        data.withUnsafeBytes { bytes in
            var levels = 0
            var isText = false
            var place = 0
            while place < bytes.count {
                let byte = bytes[place]
                place += 1
                switch byte {
                // UTF-16 and UTF-32 have zeros or a byte order mark; UTF-8 has none of these bytes.
                case 0, 0xfe, 0xff: return "text that is not UTF-8"
                case UInt8(ascii: "\""): isText.toggle()
                case UInt8(ascii: "\\") where isText: place += 1
                case UInt8(ascii: "[") where !isText, UInt8(ascii: "{") where !isText:
                    levels += 1
                    if levels > maximumLevels { return "more than \(maximumLevels) levels of lists and objects" }
                case UInt8(ascii: "]") where !isText, UInt8(ascii: "}") where !isText: levels -= 1
                default: break
                }
            }
            return nil
        }
    }
}
