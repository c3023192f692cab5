/// A secret by which a device elsewhere shows its store which device it is: 256 random bits.
///
/// ``SandboxDevice/makeToken()`` makes one. Whoever has the text buys on the device, so that neither a description nor a
/// reflection of a token shows it.
public struct DeviceToken: Hashable, Sendable {
    /// The token's text: 43 characters of Base64 for URLs.
    public let text: String

    /// Reads a token from its text.
    ///
    /// - Parameter text: the ``text`` of a token; anything else makes nil.
    public init?(_ text: String) {
        guard text.utf8.count == Base64URL.length(Self.byteCount),
            Base64URL.decode(Array(text.utf8)[...])?.count == Self.byteCount
        else { return nil }
        self.text = text
    }

    /// Makes a new token from the system's random bits.
    init() {
        text = [UInt8].randomKey().withUnsafeBytes { String(decoding: Base64URL.encode($0), as: UTF8.self) }
    }

    private static var byteCount: Int { 32 }
}

extension DeviceToken: CustomStringConvertible, CustomReflectable {
    /// The type's name, without the secret.
    public var description: String { "DeviceToken" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
