/// A place in memory to which DER of a known length is written.
struct DERPlace {
    private var rest: Slice<UnsafeMutableBufferPointer<UInt8>>

    /// Creates a place at the beginning of memory that has room for all that is to be written.
    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { rest = buffer[...] }

    @inline(__always)
    private mutating func append(byte: UInt8) {
        rest.base.initializeElement(at: rest.startIndex, to: byte)
        rest.removeFirst()
    }

    /// Appends the header of an element: its tag and the length of its contents.
    @inline(__always)
    mutating func appendHeader(_ tag: DER.Tag, _ length: Int) {
        append(byte: tag.rawValue)
        guard length >= 0x80 else { return append(byte: UInt8(truncatingIfNeeded: length)) }
        let count = DER.octets(ofLength: length)
        append(byte: 0x80 | UInt8(truncatingIfNeeded: count))
        append(Int64(length), octets: count)
    }

    /// Appends a number with its header.
    @inline(__always)
    mutating func append(_ number: Int64) {
        let count = DER.octets(of: number)
        append(byte: DER.Tag.integer.rawValue)
        append(byte: UInt8(truncatingIfNeeded: count))
        append(number, octets: count)
    }

    @inline(__always)
    private mutating func append(_ number: Int64, octets: Int) {
        var shift = 8 * Int64(octets)
        while shift > 0 {
            shift -= 8
            append(byte: UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Appends bytes.
    @inline(__always)
    mutating func append(_ bytes: ArraySlice<UInt8>) {
        rest = rest.base[rest.base[rest.startIndex...].initialize(fromContentsOf: bytes)...]
    }
}
