/// A key of an HMAC, which those who copy its owner share.
final class HMACKey: Sendable {
    private final class Ready: Sendable {
        let hmac: HMACSHA256
        init(_ hmac: HMACSHA256) { self.hmac = hmac }
    }

    private let ready = LazyReference<Ready>()

    /// Creates a random key.
    ///
    /// It is made when it is first used, since most stores sign nothing.
    init() {}

    /// Creates a key of given bytes.
    init(_ bytes: some Sequence<UInt8>) { _ = ready.storeIfNil(Ready(HMACSHA256(key: bytes))) }

    var hmac: HMACSHA256 { (ready.load() ?? ready.storeIfNil(Ready(HMACSHA256(key: [UInt8].randomKey())))).hmac }
}
