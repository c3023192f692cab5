/// A number that identifies one kind of thing, and that is not mistaken for the number of another kind.
///
/// Encoded, it is the bare number, also as a dictionary's key.
protocol TypedNumber: RawRepresentable<Int>, Hashable, Strideable, Codable, CodingKeyRepresentable,
    ExpressibleByIntegerLiteral, Sendable
where Stride == Int {
    init(rawValue: Int)
}

extension TypedNumber {
    @inline(__always)
    init(integerLiteral value: Int) { self.init(rawValue: value) }

    @inline(__always)
    static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    @inline(__always)
    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    @inline(__always)
    func distance(to other: Self) -> Int { other.rawValue - rawValue }

    @inline(__always)
    func advanced(by distance: Int) -> Self { Self(rawValue: rawValue + distance) }
}

// MARK: - In bytes

extension BinaryEncoder {
    /// Adds a number, -1 for none.
    mutating func add(_ number: (some TypedNumber)?) { add(number?.rawValue ?? -1) }

    mutating func add(_ numbers: [some TypedNumber]) {
        add(numbers.count)
        for number in numbers { add(number) }
    }
}

extension BinaryDecoder {
    @inline(__always)
    mutating func number<Number: TypedNumber>() throws -> Number { Number(rawValue: try int()) }

    /// Reads a number, nil for a negative one.
    @inline(__always)
    mutating func optionalNumber<Number: TypedNumber>() throws -> Number? {
        let value = try int()
        return value < 0 ? nil : Number(rawValue: value)
    }

    mutating func numbers<Number: TypedNumber>() throws -> [Number] { try count().map { _ in try number() } }
}
