import Foundation
import StoreCore
import Testing

/// The attributes of an app receipt's payload or of a purchase in it, as they stand there.
struct PayloadAttributes {
    /// One attribute, with all bytes of its encoding.
    struct Attribute {
        let type: Int
        let version: Int
        let value: [UInt8]
        let bytes: [UInt8]
    }

    let attributes: [Attribute]

    /// The error for bytes that are no set of attributes from end to end.
    struct Malformed: Error {}

    init(_ payload: Data) throws {
        var outer = BERReader([UInt8](payload))
        guard outer.enter(.set) else { throw Malformed() }
        var attributes: [Attribute] = []
        while !outer.isAtEnd {
            guard let bytes = outer.element(.sequence), let attribute = Attribute(Array(bytes)) else {
                throw Malformed()
            }
            attributes.append(attribute)
        }
        self.attributes = attributes
    }

    var types: [Int] { attributes.map(\.type) }

    /// Whether the attributes are in the order of their bytes, as DER has a set.
    var areSorted: Bool {
        zip(attributes, attributes.dropFirst()).allSatisfy { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// Returns the value of the only attribute of a type.
    func value(_ type: Int) throws -> [UInt8] {
        let values = attributes.filter { $0.type == type }.map(\.value)
        #expect(values.count == 1)
        return try #require(values.first)
    }

    func purchases() throws -> [PayloadAttributes] {
        try attributes.filter { $0.type == 17 }.map { try PayloadAttributes(Data($0.value)) }
    }
}

extension PayloadAttributes.Attribute {
    fileprivate init?(_ bytes: [UInt8]) {
        var reader = DERReader(bytes)
        guard var fields = reader.open(.sequence), let type = fields.read(.integer),
            let version = fields.read(.integer), let value = fields.read(.octetString), fields.isAtEnd
        else { return nil }
        self.init(
            type: type.reduce(0) { $0 << 8 | Int($1) },
            version: version.reduce(0) { $0 << 8 | Int($1) },
            value: Array(value),
            bytes: bytes
        )
    }
}
