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

    /// Returns what is found in place of JSON in data that ``decode(_:from:)`` or ``object(from:)`` rejects, in a few
    /// words, with its line and column if the parser reports them.
    package static func trouble(in data: Data) -> String {
        if let defect = defect(in: data) { return defect }
        do {
            _ = try object(from: data)
            return "a number or a text that cannot be read"
        } catch {
            let text = (error as NSError).userInfo["NSDebugDescription"] as? String ?? ""
            if text.hasPrefix("Unexpected end") || text.hasPrefix("Unterminated string") {
                return "the end\(openValue(in: data).map { " in the middle of \($0)" } ?? "")"
            }
            // Apple's Foundation says "around line 3, column 7", others "around character 52".
            guard let clue = text.range(of: "around ") else { return "something else" }
            let numbers = text[clue.upperBound...].split { !$0.isNumber }.compactMap { Int($0) }
            switch numbers.count {
            case 1: return "something else near \(position(ofByte: numbers[0], in: data))"
            case 2: return "something else near line \(numbers[0]), column \(numbers[1])"
            default: return "something else"
            }
        }
    }

    /// Returns the innermost object, list or text that is not closed at the end of data, in words; nil if there is none.
    private static func openValue(in data: Data) -> String? {
        var open: [(name: String, place: Int)] = []
        var text: Int?
        var isEscaped = false
        for (place, byte) in data.enumerated() {
            if text != nil {
                if byte == UInt8(ascii: "\""), !isEscaped { text = nil }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): text = place
            case UInt8(ascii: "{"): open.append(("object", place))
            case UInt8(ascii: "["): open.append(("list", place))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
            default: break
            }
        }
        guard let last = text.map({ (name: "text", place: $0) }) ?? open.last else { return nil }
        return "the \(last.name) that begins at \(position(ofByte: last.place, in: data))"
    }

    private static func position(ofByte offset: Int, in data: Data) -> String {
        let before = data.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
        return "line \(line), column \(column)"
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
