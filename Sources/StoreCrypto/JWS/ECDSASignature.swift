import StoreCore

/// A signature on P-256 in its two encodings.
enum ECDSASignature {
    /// The number of bytes of r and of s.
    static let size = 32

    /// Returns r and s one after the other, 64 bytes, of a signature in DER.
    static func raw(_ der: [UInt8]) -> [UInt8]? {
        var reader = DERReader(der)
        guard var numbers = reader.open(.sequence) else { return nil }
        var raw: [UInt8] = []
        for _ in 0..<2 {
            guard let number = numbers.read(.integer)?.drop(while: { $0 == 0 }), number.count <= size else {
                return nil
            }
            raw += [UInt8](repeating: 0, count: size - number.count) + number
        }
        return raw
    }

    /// Returns the DER of a signature of 64 bytes.
    static func der(_ raw: [UInt8]) -> [UInt8] {
        DER.sequence(integer(raw.prefix(size)), integer(raw.dropFirst(size)))
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let digits = bytes.drop { $0 == 0 }
        let sign: [UInt8] = digits.first.map { $0 >= 0x80 } ?? true ? [0] : []
        return DER.element(.integer, sign + digits)
    }
}
