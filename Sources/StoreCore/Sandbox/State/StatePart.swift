/// A part of the state that most stores never use, and that a new store has as `init()` makes it.
///
/// A snapshot has it in JSON, and omits it as long as it is as in a new store, so that opening does not pay for it.
protocol StatePart: Codable, Sendable {
    init()
    /// Whether it is as in a new store.
    var isNew: Bool { get }
}

extension StatePart where Self: Equatable {
    var isNew: Bool { self == Self() }
}

extension BinaryEncoder {
    /// Adds a part of the state, as no bytes while it is new.
    mutating func add(_ part: some StatePart) throws {
        var pack = BinaryEncoder()
        if !part.isNew { try SnapshotRows.encode(part, into: &pack) }
        add(pack.data)
    }
}

extension BinaryDecoder {
    /// Reads a part of the state.
    mutating func statePart<Part: StatePart>() throws -> Part {
        var pack = try part()
        return pack.isAtEnd ? Part() : try SnapshotRows.decode(Part.self, unpacking: &pack)
    }
}
