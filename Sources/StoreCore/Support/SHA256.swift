/// The hash function SHA-256, after the definition in FIPS 180-4.
///
/// StoreCore depends only on Foundation, which has no hash functions on Linux. A copy of a value continues
/// independently.
struct SHA256: Sendable {
    static let digestLength = 32
    static let blockLength = 64

    private var state: State
    /// The bytes of an incomplete block, in the message's own order.
    private var block: Block = (0, 0, 0, 0, 0, 0, 0, 0)
    private var length: UInt64 = 0

    init() {
        // The initial values of section 5.3.3.
        state = (0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
    }

    /// Hashes more of the message.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var remaining = bytes[...]
        let filled = Int(length % UInt64(Self.blockLength))
        length += UInt64(bytes.count)
        if filled > 0 {
            let head = remaining.prefix(Self.blockLength - filled)
            withUnsafeMutableBytes(of: &block) {
                UnsafeMutableRawBufferPointer(rebasing: $0[filled...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: head)
                )
            }
            remaining = remaining.dropFirst(head.count)
            guard filled + head.count == Self.blockLength else { return }
            compressBlock()
        }
        let whole = remaining.count / Self.blockLength * Self.blockLength
        compress(UnsafeRawBufferPointer(rebasing: remaining.prefix(whole)))
        let tail = UnsafeRawBufferPointer(rebasing: remaining.dropFirst(whole))
        withUnsafeMutableBytes(of: &block) { $0.copyMemory(from: tail) }
    }

    /// Ends the message and writes its 32-byte digest into a buffer; the value must not be used afterwards.
    mutating func finish(into digest: UnsafeMutableRawBufferPointer) {
        // Section 5.1.1: a one bit, zeros, and the length in bits at the end of a block.
        let filled = Int(length % UInt64(Self.blockLength))
        let bits = length &* 8
        withUnsafeMutableBytes(of: &block) {
            $0[filled] = 0x80
            for index in (filled + 1)..<Self.blockLength { $0[index] = 0 }
        }
        if filled >= 56 {
            compressBlock()
            block = (0, 0, 0, 0, 0, 0, 0, 0)
        }
        block.7 = bits.bigEndian
        compressBlock()

        let (a, b, c, d, e, f, g, h) = state
        var offset = 0
        for word in [a, b, c, d, e, f, g, h] {
            digest.storeBytes(of: word.bigEndian, toByteOffset: offset, as: UInt32.self)
            offset += 4
        }
    }

    /// Returns the digest of a whole message.
    static func digest(of message: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        [UInt8](message).withUnsafeBytes { hash.update($0) }
        return [UInt8](unsafeUninitializedCapacity: digestLength) { buffer, count in
            hash.finish(into: UnsafeMutableRawBufferPointer(buffer))
            count = digestLength
        }
    }
}

extension SHA256 {
    private typealias State = (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)
    private typealias Block = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    private mutating func compressBlock() {
        // The block is copied, since it may not be read in place while the state changes.
        let block = self.block
        withUnsafeBytes(of: block) { compress($0) }
    }

    /// Processes a buffer of whole blocks (section 6.2.2).
    private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        guard blocks.count > 0 else { return }
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            Self.roundConstants.withUnsafeBufferPointer { constants in
                let w = schedule.baseAddress!
                let k = constants.baseAddress!
                var start = 0
                while start < blocks.count {
                    Self.fill(w, from: blocks.baseAddress! + start)
                    Self.mix(&state, w, k)
                    start += Self.blockLength
                }
            }
        }
    }

    /// Fills the message schedule: the 64 words that the rounds process, computed from a block.
    @inline(__always)
    private static func fill(_ w: UnsafeMutablePointer<UInt32>, from block: UnsafeRawPointer) {
        var t = 0
        while t < 16 {
            w[t] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: t &* 4, as: UInt32.self))
            t &+= 1
        }
        while t < 64 {
            let x = w[t &- 15]
            let y = w[t &- 2]
            let s0 = (x &>> 7 | x &<< 25) ^ (x &>> 18 | x &<< 14) ^ (x &>> 3)
            let s1 = (y &>> 17 | y &<< 15) ^ (y &>> 19 | y &<< 13) ^ (y &>> 10)
            w[t] = w[t &- 16] &+ s0 &+ w[t &- 7] &+ s1
            t &+= 1
        }
    }

    /// Performs the 64 rounds, eight at a time, so that the working variables change roles instead of places.
    @inline(__always)
    private static func mix(_ state: inout State, _ w: UnsafePointer<UInt32>, _ k: UnsafePointer<UInt32>) {
        var (a, b, c, d, e, f, g, h) = state
        var t = 0
        while t < 64 {
            round(a, b, c, &d, e, f, g, &h, w[t] &+ k[t])
            round(h, a, b, &c, d, e, f, &g, w[t &+ 1] &+ k[t &+ 1])
            round(g, h, a, &b, c, d, e, &f, w[t &+ 2] &+ k[t &+ 2])
            round(f, g, h, &a, b, c, d, &e, w[t &+ 3] &+ k[t &+ 3])
            round(e, f, g, &h, a, b, c, &d, w[t &+ 4] &+ k[t &+ 4])
            round(d, e, f, &g, h, a, b, &c, w[t &+ 5] &+ k[t &+ 5])
            round(c, d, e, &f, g, h, a, &b, w[t &+ 6] &+ k[t &+ 6])
            round(b, c, d, &e, f, g, h, &a, w[t &+ 7] &+ k[t &+ 7])
            t &+= 8
        }
        state.0 &+= a
        state.1 &+= b
        state.2 &+= c
        state.3 &+= d
        state.4 &+= e
        state.5 &+= f
        state.6 &+= g
        state.7 &+= h
    }

    /// Performs one round, in which only `d`, the new `e`, and `h`, the new `a`, change value.
    @inline(__always)
    private static func round(
        _ a: UInt32,
        _ b: UInt32,
        _ c: UInt32,
        _ d: inout UInt32,
        _ e: UInt32,
        _ f: UInt32,
        _ g: UInt32,
        _ h: inout UInt32,
        _ constantAndWord: UInt32
    ) {
        let sum1 = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
        let choice = (e & f) ^ (~e & g)
        let t1 = h &+ sum1 &+ choice &+ constantAndWord
        let sum0 = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
        let majority = (a & b) ^ (a & c) ^ (b & c)
        d = d &+ t1
        h = t1 &+ sum0 &+ majority
    }

    /// The round constants (section 4.2.2): the first 32 bits of the fractional parts of the cube roots of the first 64
    /// primes.
    private static let roundConstants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

/// The HMAC (RFC 2104) over ``SHA256``: a message authentication code that requires the key.
///
/// The inner and the outer hash have already processed the key, so that the key adds no cost to each code.
struct HMACSHA256: Sendable {
    private let inner: SHA256
    private let outer: SHA256

    /// Creates an HMAC with a key of any length; a key longer than a block, 64 bytes, is hashed first.
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

        /// The message authentication code of the bytes hashed so far, 32 bytes.
        var code: [UInt8] {
            [UInt8](unsafeUninitializedCapacity: SHA256.digestLength) { buffer, count in
                writeCode(to: UnsafeMutableRawBufferPointer(buffer))
                count = SHA256.digestLength
            }
        }

        /// Writes the message authentication code of the bytes hashed so far.
        fileprivate func writeCode(to digest: UnsafeMutableRawBufferPointer) {
            var (inner, outer) = (inner, outer)
            inner.finish(into: digest)
            outer.update(UnsafeRawBufferPointer(digest)[..<SHA256.digestLength].rebased)
            outer.finish(into: digest)
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
        guard code.count == SHA256.digestLength else { return false }
        var whole = self.message
        whole.update(message)
        return withUnsafeTemporaryAllocation(byteCount: SHA256.digestLength, alignment: 8) { right in
            whole.writeCode(to: right)
            var difference: UInt64 = 0
            for offset in stride(from: 0, to: SHA256.digestLength, by: 8) {
                let word = code.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                difference |= word ^ right.load(fromByteOffset: offset, as: UInt64.self)
            }
            return difference == 0
        }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate var rebased: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self) }
}

/// A key of an HMAC; copies of a value that stores it share one key.
final class HMACKey: Sendable {
    private final class Ready: Sendable {
        let hmac: HMACSHA256
        init(_ hmac: HMACSHA256) { self.hmac = hmac }
    }

    private let ready = LazyReference<Ready>()

    /// Creates a random key.
    ///
    /// The key is created on first use, since most stores sign nothing.
    init() {}

    /// Creates a key of given bytes.
    init(_ bytes: some Sequence<UInt8>) { _ = ready.storeIfNil(Ready(HMACSHA256(key: bytes))) }

    var hmac: HMACSHA256 { (ready.load() ?? ready.storeIfNil(Ready(HMACSHA256(key: [UInt8].randomKey())))).hmac }
}

extension [UInt8] {
    /// Returns 32 random bytes from the system's generator, eight in each of four calls.
    static func randomKey() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<4).flatMap { _ in Swift.withUnsafeBytes(of: random.next(), Array.init) }
    }
}
