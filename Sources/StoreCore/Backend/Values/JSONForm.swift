import Foundation

// The parts of commands, updates and replies whose JSON differs from Swift's synthesized coding: see the article "The
// socket as JSON".
//
// Values that the first version wrote into journals and ledgers can still be decoded.

/// An enumeration that is encoded as a case's name; the first version encoded a number.
protocol NamedInJSON: RawRepresentable<UInt8> {
    /// The names of the cases, by their raw values.
    static var names: [String] { get }
}

extension Encoder {
    func encode(nameOf value: some NamedInJSON) throws {
        var container = singleValueContainer()
        try container.encode(type(of: value).names[Int(value.rawValue)])
    }
}

extension Decoder {
    func decodeNamed<Value: NamedInJSON>() throws -> Value {
        let container = try singleValueContainer()
        let number: UInt8?
        if let name = try? container.decode(String.self) {
            number = Value.names.firstIndex(of: name).map { UInt8($0) }
        } else {
            number = try container.decode(UInt8.self)
        }
        guard let value = number.flatMap(Value.init) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "There is no such \(Value.self)")
        }
        return value
    }
}

/// A decimal number encoded as text, since most JSON readers convert a number to a binary fraction.
struct DecimalText: Hashable, Codable, Sendable {
    let value: Decimal

    init(_ value: Decimal) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            value = try container.decode(Decimal.self)
            return
        }
        // Foundation parses the longest valid prefix, so the whole text is checked first.
        let number = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        let parts = number.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isNumber = parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(digits.contains) }
        guard isNumber, let value = Decimal(string: text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "A price is a decimal number as text"
            )
        }
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value.description)
    }
}

/// A 64-bit number encoded as text, since most JSON readers retain only 53 bits.
struct LongText: Hashable, Codable, Sendable {
    let value: Int64

    init(_ value: Int64) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            value = try container.decode(Int64.self)
            return
        }
        guard let value = Int64(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "It is no number of 64 bits as text"
            )
        }
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(value))
    }
}

/// A date encoded as ISO 8601 text, or as seconds since 2001 if such text cannot represent it.
struct DateText: Hashable, Codable, Sendable {
    let value: Date

    init(_ value: Date) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            value = Date(timeIntervalSinceReferenceDate: try container.decode(Double.self))
            return
        }
        guard let value = Date(exactText: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "A date is a moment in ISO 8601")
        }
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let text = value.exactText {
            try container.encode(text)
        } else {
            try container.encode(value.timeIntervalSinceReferenceDate)
        }
    }
}
