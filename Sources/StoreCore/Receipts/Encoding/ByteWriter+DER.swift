extension ByteWriter {
    /// Appends the header of an element: its tag and the length of its contents.
    @inline(__always)
    mutating func append(_ tag: DER.Tag, _ length: Int) {
        append(atMost: 10) { place in
            place[0] = tag.rawValue
            guard length >= 0x80 else {
                place[1] = UInt8(truncatingIfNeeded: length)
                return 2
            }
            let count = DER.length(containing: length) - length - 2
            place[1] = 0x80 | UInt8(truncatingIfNeeded: count)
            return 2 + Self.write(length, count, to: place + 2)
        }
    }

    /// Appends a number, as ``DER/integer(_:)`` returns it.
    @inline(__always)
    mutating func append(_ number: Int64) {
        append(atMost: 10) { place in
            let count = DER.length(of: number) - 2
            place[0] = DER.Tag.integer.rawValue
            place[1] = UInt8(truncatingIfNeeded: count)
            return 2 + Self.write(Int(number), count, to: place + 2)
        }
    }

    /// Writes the last bytes of a number, the highest first, and returns how many.
    @inline(__always)
    private static func write(_ number: Int, _ count: Int, to place: UnsafeMutablePointer<UInt8>) -> Int {
        for index in 0..<count { place[index] = UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - index))) }
        return count
    }
}

extension DER {
    /// Returns the number of bytes of a number with its header: all of its bits in two's complement, and one for the sign.
    static func length(of number: Int64) -> Int {
        let magnitude = number < 0 ? ~number : number
        return 2 + (Int64.bitWidth - magnitude.leadingZeroBitCount) / 8 + 1
    }

    /// Returns the number of bytes of an element with as many bytes of contents.
    static func length(containing contents: Int) -> Int {
        var length = contents + 2
        if contents >= 0x80 { length += (Int.bitWidth - contents.leadingZeroBitCount + 7) / 8 }
        return length
    }
}
