import Foundation
import Testing

/// Data of which single bits are changed.
enum BitFlips {
    /// Tries to change single bits of data that has to be accepted as it is.
    ///
    /// - Parameters:
    ///   - data: the data.
    ///   - sparse: the bytes of which one bit in eight is tried, where each try verifies a chain of certificates.
    ///   - isAccepted: whether changed data is accepted.
    /// - Returns: the bits whose change goes unnoticed.
    static func unnoticed(in data: Data, sparse: Range<Int> = 0..<0, isAccepted: (Data) -> Bool) -> [Int] {
        // Else a reader that refuses everything would notice each change.
        #expect(isAccepted(data))
        var changed = data
        return (0..<data.count * 8).filter { bit in
            let (byte, place) = (bit / 8, bit % 8)
            if sparse.contains(byte), place != byte % 8 { return false }
            changed[byte] ^= 1 << place
            defer { changed[byte] ^= 1 << place }
            return isAccepted(changed)
        }
    }
}
