/// An optional number in four bytes, for the rows of a state, of which there may be very many.
///
/// None is -1, in memory and encoded.
@propertyWrapper
struct Packed<Number: TypedNumber>: Codable, Sendable {
    private var value: Int32

    @inline(__always)
    init(wrappedValue: Number?) { value = wrappedValue.map { Int32(truncatingIfNeeded: $0.rawValue) } ?? -1 }

    var wrappedValue: Number? {
        @inline(__always) get { value < 0 ? nil : Number(rawValue: Int(value)) }
        @inline(__always) set { self = Packed(wrappedValue: newValue) }
    }

    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int32.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
