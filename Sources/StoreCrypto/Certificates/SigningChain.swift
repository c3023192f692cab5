import Foundation

/// A private key, and the certificates that travel with its signatures, the leaf first.
struct SigningChain: Sendable {
    let key: Key
    let certificates: [Certificate]

    /// The dates at which all certificates are valid.
    var validity: Range<Date> {
        certificates.dropFirst().reduce(certificates[0].validity) { $0.clamped(to: $1.validity) }
    }
}
