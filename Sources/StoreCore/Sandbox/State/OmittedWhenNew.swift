/// A part of the state that most stores never use.
///
/// A snapshot omits it as long as it is as in a new store, so that opening does not pay for it.
@propertyWrapper
struct OmittedWhenNew<Part: StatePart>: Codable, Sendable {
    var wrappedValue: Part

    init(wrappedValue: Part) { self.wrappedValue = wrappedValue }
    init(from decoder: any Decoder) throws { wrappedValue = try Part(from: decoder) }

    func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }

    /// Whether it is encoded as in a new store.
    fileprivate var isNew: Bool {
        get throws {
            if !wrappedValue.mayBeNew { return false }
            var (this, new) = (BinaryEncoder(), BinaryEncoder())
            try SnapshotRows.encode(wrappedValue, into: &this)
            try SnapshotRows.encode(Part(), into: &new)
            return this.data == new.data
        }
    }
}

/// A part of the state that begins as in every store.
protocol StatePart: Codable, Sendable {
    init()
    /// Whether it is worth comparing with a new one: false where that would take long.
    var mayBeNew: Bool { get }
}

extension StatePart {
    var mayBeNew: Bool { true }
}

// What the compiler derives for a type with such properties calls these.

extension KeyedEncodingContainer {
    mutating func encode<Part>(_ value: OmittedWhenNew<Part>, forKey key: Key) throws {
        if try !value.isNew { try encode(value.wrappedValue, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    func decode<Part>(_ type: OmittedWhenNew<Part>.Type, forKey key: Key) throws -> OmittedWhenNew<Part> {
        try OmittedWhenNew(wrappedValue: decodeIfPresent(Part.self, forKey: key) ?? Part())
    }
}
