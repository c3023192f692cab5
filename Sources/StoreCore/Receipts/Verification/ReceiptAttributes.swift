import Foundation

/// The attributes of a receipt or of a purchase in it, in any order, known and unknown.
struct ReceiptAttributes {
    private var values: [Int64: [ArraySlice<UInt8>]] = [:]
    /// Whether the receipt is in the form of HMAC, in which every attribute has one encoding.
    ///
    /// Dates of other forms may be in any time zone, and some attributes may be missing.
    let isExact: Bool

    /// Returns nil unless the bytes are attributes from end to end.
    init?(_ bytes: ArraySlice<UInt8>, isExact: Bool) {
        self.isExact = isExact
        var set = DERReader(bytes)
        while !set.isAtEnd {
            guard let (type, value) = set.attribute() else { return nil }
            values[type, default: []].append(value)
        }
    }

    func has(_ type: AppReceipt.Attribute) -> Bool { values[type.rawValue] != nil }

    func all(_ type: AppReceipt.Attribute) -> [ArraySlice<UInt8>] { values[type.rawValue] ?? [] }

    /// Returns the only attribute of a type; nil also if there are several.
    func only(_ type: AppReceipt.Attribute) -> ArraySlice<UInt8>? {
        let values = all(type)
        return values.count == 1 ? values[0] : nil
    }

    func text(_ type: AppReceipt.Attribute) -> String? { element(type) { $0.utf8() } }

    func ascii(_ type: AppReceipt.Attribute) -> String? { element(type) { $0.ia5() } }

    func number(_ type: AppReceipt.Attribute) -> Int64? { element(type) { $0.integer() } }

    /// Returns a number that may be missing, for which the App Store's form has the number 0.
    func numberOrNil(_ type: AppReceipt.Attribute) -> Int64? {
        number(type).flatMap { $0 == 0 && !isExact ? nil : $0 }
    }

    /// Returns a date attribute; nil for a text that is no date of the form.
    func date(_ type: AppReceipt.Attribute) -> Date? { ascii(type).flatMap { Self.date($0, isExact: isExact) } }

    /// Whether a form without exact attributes has none of a type, or an empty one.
    func lacks(_ type: AppReceipt.Attribute) -> Bool { !isExact && (!has(type) || ascii(type) == "") }

    /// Returns a date; nil, in the exact form, unless it is written just as ``ReceiptDate`` writes it.
    private static func date(_ text: String, isExact: Bool) -> Date? {
        guard let date = try? Date(text, strategy: .iso8601),
            !isExact || (try? ReceiptDate(date))?.internet == text
        else { return nil }
        return date
    }

    private func element<Value>(
        _ type: AppReceipt.Attribute,
        _ read: (inout DERReader) -> Value?
    ) -> Value? {
        guard let bytes = only(type) else { return nil }
        var reader = DERReader(bytes)
        guard let value = read(&reader), reader.isAtEnd else { return nil }
        return value
    }
}

extension ReceiptAttributes {
    /// Reads the date in the attribute with a receipt's creation date, without the other ones' values.
    static func creationDate(_ bytes: ArraySlice<UInt8>) -> Date? {
        var set = DERReader(bytes)
        while let (type, value) = set.attribute() {
            guard type == AppReceipt.Attribute.creationDate.rawValue else { continue }
            var reader = DERReader(value)
            return reader.ia5().flatMap { date($0, isExact: false) }
        }
        return nil
    }
}

extension DERReader {
    /// Reads an attribute: its type, its version, which is ignored, and its value.
    fileprivate mutating func attribute() -> (type: Int64, value: ArraySlice<UInt8>)? {
        guard var attribute = open(.sequence), let type = attribute.integer(), attribute.integer() != nil,
            let value = attribute.read(.octetString), attribute.isAtEnd
        else { return nil }
        return (type, value)
    }
}
