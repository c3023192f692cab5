/// HMAC (RFC 2104) over ``SHA256``: a code for a message that only who knows the key can make.
///
/// Both hashes have their key block behind them already, so a code costs no more for the key.
struct HMACSHA256: Sendable {
    private let inner: SHA256
    private let outer: SHA256

    /// Any length of key is allowed; one longer than a block (64 bytes) is hashed first.
    init(key: some Sequence<UInt8>) {
        var block = [UInt8](key)
        if block.count > SHA256.blockLength { block = SHA256.digest(of: block) }
        block += [UInt8](repeating: 0, count: SHA256.blockLength - block.count)

        var inner = SHA256()
        block.map { $0 ^ 0x36 }.withUnsafeBytes { inner.update($0) }
        self.inner = inner
        var outer = SHA256()
        block.map { $0 ^ 0x5c }.withUnsafeBytes { outer.update($0) }
        self.outer = outer
    }

    /// A message that is read piece by piece; a copy goes on by itself from what was read so far.
    struct Message: Sendable {
        private var inner: SHA256
        private let outer: SHA256

        fileprivate init(inner: SHA256, outer: SHA256) {
            self.inner = inner
            self.outer = outer
        }

        /// Reads more of the message.
        mutating func update(_ bytes: UnsafeRawBufferPointer) { inner.update(bytes) }

        /// The 32 bytes of the code for what was read.
        var code: [UInt8] {
            var (inner, outer) = (inner, outer)
            return [UInt8](unsafeUninitializedCapacity: SHA256.digestLength) { buffer, count in
                let digest = UnsafeMutableRawBufferPointer(buffer)
                inner.finish(into: digest)
                outer.update(UnsafeRawBufferPointer(digest)[..<SHA256.digestLength].rebased)
                outer.finish(into: digest)
                count = SHA256.digestLength
            }
        }
    }

    /// A message of which nothing has been read.
    var message: Message { Message(inner: inner, outer: outer) }

    /// The 32 bytes of the message's code.
    func code(for message: UnsafeRawBufferPointer) -> [UInt8] {
        var whole = self.message
        whole.update(message)
        return whole.code
    }

    /// Whether a code belongs to a message, in a time that does not tell how much of it is right.
    func isValid(_ code: UnsafeRawBufferPointer, for message: UnsafeRawBufferPointer) -> Bool {
        let right = self.code(for: message)
        guard code.count == right.count else { return false }
        return right.indices.reduce(UInt8(0)) { $0 | (code[$1] ^ right[$1]) } == 0
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate var rebased: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self) }
}
