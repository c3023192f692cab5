extension DER {
    /// Appends the header of an element: its tag and the length of its contents.
    @inline(__always)
    static func appendHeader(_ tag: Tag, _ length: Int, to bytes: inout [UInt8]) {
        if length < 0x80 {
            bytes.append(tag.rawValue)
            bytes.append(UInt8(truncatingIfNeeded: length))
        } else {
            bytes += header(tag, length)
        }
    }

    /// Appends a number, as ``integer(_:)`` returns it.
    @inline(__always)
    static func append(_ number: Int64, to bytes: inout [UInt8]) {
        let count = octets(of: number)
        bytes.append(Tag.integer.rawValue)
        bytes.append(UInt8(truncatingIfNeeded: count))
        for index in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * Int64(index)))) }
    }

    /// Returns the number of bytes of a number with its header.
    static func length(of number: Int64) -> Int { 2 + octets(of: number) }

    /// Returns the number of bytes of an element with as many bytes of contents.
    static func length(containing contents: Int) -> Int {
        var length = contents + 2
        if contents >= 0x80 { length += octets(ofLength: contents) }
        return length
    }

    /// Returns the number of bytes of a length that does not fit one.
    static func octets(ofLength length: Int) -> Int { (Int.bitWidth - length.leadingZeroBitCount + 7) / 8 }

    /// Returns the number of bytes of a number in two's complement: all of its bits, and one for the sign.
    static func octets(of number: Int64) -> Int {
        let magnitude = number < 0 ? ~number : number
        return (Int64.bitWidth - magnitude.leadingZeroBitCount) / 8 + 1
    }
}
