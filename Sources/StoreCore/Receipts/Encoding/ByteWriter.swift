import Foundation

/// A writer of consecutive bytes, which returns them as `Data` without copying.
///
/// It has memory of its own: an array would have to be copied into the `Data` that signers and apps require, and a
/// transaction's receipt would take 13 % longer.
struct ByteWriter: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The number of bytes that are written.
    private(set) var count = 0

    /// Creates a writer; `capacity` is an estimate of the total length, at least 1.
    init(capacity: Int) {
        self.capacity = capacity
        start = Self.memory(realloc(nil, capacity))
    }

    deinit { free(start) }

    mutating func append(_ byte: UInt8) { Swift.withUnsafeBytes(of: byte) { append($0) } }

    @inline(__always)
    mutating func append(_ ascii: StaticString) {
        append(UnsafeRawBufferPointer(start: ascii.utf8Start, count: ascii.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        append(atMost: bytes.count) { place in
            UnsafeMutableRawPointer(place).copyMemory(from: source, byteCount: bytes.count)
            return bytes.count
        }
    }

    /// Appends a number's digits, and its sign if it is negative.
    mutating func append(decimal number: Int64) {
        append(atMost: 20) { place in
            var rest = number.magnitude
            var count = number < 0 ? 2 : 1
            var more = rest / 10
            while more > 0 {
                more /= 10
                count += 1
            }
            var index = count
            repeat {
                index -= 1
                place[index] = UInt8(truncatingIfNeeded: 48 + rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 { place[0] = UInt8(ascii: "-") }
            return count
        }
    }

    /// Appends the bytes that a function writes, which returns their number.
    @inline(__always)
    mutating func append(atMost most: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        if capacity - count < most { grow(by: most) }
        count += write(start + count)
    }

    /// Calls a function with all written bytes.
    @inline(__always)
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Returns all written bytes.
    consuming func finish() -> Data {
        let data = Data(bytesNoCopy: start, count: count, deallocator: .free)
        discard self
        return data
    }

    private mutating func grow(by more: Int) {
        capacity = max(capacity * 2, count + more)
        start = Self.memory(realloc(start, capacity))
    }

    private static func memory(_ allocated: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<UInt8> {
        guard let allocated else { fatalError("There is no memory left for a receipt.") }
        return allocated.assumingMemoryBound(to: UInt8.self)
    }
}
