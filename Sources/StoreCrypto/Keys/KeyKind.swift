/// A kind of key: a curve, or RSA with a number of bits.
enum KeyKind: Hashable, Sendable, CustomStringConvertible {
    case p256
    case p384
    case rsa(bits: Int)

    var description: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .rsa(let bits): "RSA with \(bits) bits"
        }
    }
}
