import Foundation

/// A random number generator with a seed: SplitMix64 by Steele, Lea and Flood.
///
/// Foundation has no generator with a seed. The fault injector and the simulators use this one; StoreCore does not.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Creates a generator for one of a seed's independent streams of numbers.
    package init(seed: UInt64, stream: UInt64) {
        state = seed
        state = next() ^ stream
        state = next()
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    /// Returns a random UUID of version 4.
    package mutating func uuid() -> UUID {
        var bytes = (0..<2).flatMap { _ in withUnsafeBytes(of: next().bigEndian) { Array($0) } }
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
