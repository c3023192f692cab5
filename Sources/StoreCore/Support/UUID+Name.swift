import Foundation

extension UUID {
    /// Creates the identifier of a name: the same in every process, and another for every other name.
    init(named name: String) {
        var bytes = SHA256.digest(of: Data(name.utf8))
        // RFC 9562: version 8, with a custom rule.
        bytes[6] = 0x80 | bytes[6] & 0x0f
        bytes[8] = 0x80 | bytes[8] & 0x3f
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
