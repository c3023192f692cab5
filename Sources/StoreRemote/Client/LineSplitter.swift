import Foundation

/// Divides what arrives piece by piece into lines.
struct LineSplitter {
    /// The most bytes of a line.
    private let limit: Int
    private var rest = Data()
    /// The number of bytes of `rest` that have no end of a line.
    private var searched = 0

    init(limit: Int = DeviceProtocol.answerSize) { self.limit = limit }

    /// Takes a piece, and calls the body with each line that it completes, without its end.
    ///
    /// - Throws: what the body throws, and ``TooLong``.
    mutating func take(_ piece: Data, _ body: (Data) throws -> Void) throws {
        rest += piece
        var start = rest.startIndex
        while let length = Self.lineLength(rest[(start + searched)...]) {
            let end = start + searched + length
            if end - start > limit { throw TooLong() }
            try body(rest[start..<end])
            start = end + 1
            searched = 0
        }
        if start != rest.startIndex { rest = Data(rest[start...]) }
        searched = rest.count
        if rest.count > limit { throw TooLong() }
    }

    /// Returns the number of bytes before the end of a line; nil if there is none.
    private static func lineLength(_ bytes: Data) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return nil }
            return memchr(start, Int32(UInt8(ascii: "\n")), bytes.count).map { start.distance(to: $0) }
        }
    }

    /// The error of a line that does not end within the limit.
    struct TooLong: Error {}
}
