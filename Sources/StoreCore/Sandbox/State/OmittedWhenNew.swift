/// A part of the state that most stores never use.
///
/// A snapshot omits it as long as it is as in a new store, so that opening does not pay for it.
@propertyWrapper
struct OmittedWhenNew<Part: StatePart>: Codable, Sendable {
    var wrappedValue: Part

    init(wrappedValue: Part) { self.wrappedValue = wrappedValue }
    init(from decoder: any Decoder) throws { wrappedValue = try Part(from: decoder) }

    func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// A part of the state that a new store has as `init()` makes it.
protocol StatePart: Codable, Sendable {
    init()
    /// Whether it is as in a new store.
    var isNew: Bool { get }
}

extension StatePart where Self: Equatable {
    var isNew: Bool { self == Self() }
}

// What the compiler derives for a type with such properties calls these.

extension KeyedEncodingContainer {
    mutating func encode<Part>(_ value: OmittedWhenNew<Part>, forKey key: Key) throws {
        if !value.wrappedValue.isNew { try encode(value.wrappedValue, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    func decode<Part>(_ type: OmittedWhenNew<Part>.Type, forKey key: Key) throws -> OmittedWhenNew<Part> {
        try OmittedWhenNew(wrappedValue: decodeIfPresent(Part.self, forKey: key) ?? Part())
    }
}
