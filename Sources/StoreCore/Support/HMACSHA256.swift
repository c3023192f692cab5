/// The HMAC (RFC 2104) over ``SHA256``: a message authentication code that requires the key.
///
/// Both hashes have processed their key block already, so a code costs no more for the key.
struct HMACSHA256: Sendable {
    private let inner: SHA256
    private let outer: SHA256

    /// Makes an HMAC with a key of any length; one longer than a block (64 bytes) is hashed first.
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

    /// A message that is hashed incrementally; a copy continues independently.
    struct Message: Sendable {
        private var inner: SHA256
        private let outer: SHA256

        fileprivate init(inner: SHA256, outer: SHA256) {
            self.inner = inner
            self.outer = outer
        }

        /// Hashes more of the message.
        mutating func update(_ bytes: UnsafeRawBufferPointer) { inner.update(bytes) }

        /// The 32-byte code of the message so far.
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

    /// An empty message.
    var message: Message { Message(inner: inner, outer: outer) }

    /// Returns the 32-byte code of a message.
    func code(for message: UnsafeRawBufferPointer) -> [UInt8] {
        var whole = self.message
        whole.update(message)
        return whole.code
    }

    /// Returns whether a code belongs to a message, in constant time.
    func isValid(_ code: UnsafeRawBufferPointer, for message: UnsafeRawBufferPointer) -> Bool {
        let right = self.code(for: message)
        guard code.count == right.count else { return false }
        return right.indices.reduce(UInt8(0)) { $0 | (code[$1] ^ right[$1]) } == 0
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate var rebased: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self) }
}
