import Foundation
import Testing

/// Data of which single bits are changed.
enum BitFlips {
    /// Whether every bit is tried, as `.ci/run nightly` has it, and not one bit of each byte, drawn anew each time.
    private static let isThorough = ProcessInfo.processInfo.environment["STORECORE_THOROUGH"] != nil

    /// Tries to change single bits of data that has to be accepted as it is.
    ///
    /// - Parameters:
    ///   - data: the data.
    ///   - isAccepted: whether changed data is accepted; called on several threads, since where each try verifies a chain of
    ///     certificates they take a while.
    /// - Returns: the bits whose change goes unnoticed.
    static func unnoticed(in data: Data, isAccepted: @escaping @Sendable (Data) -> Bool) async -> [Int] {
        // Else a reader that refuses everything would notice each change.
        #expect(isAccepted(data))
        return await withTaskGroup(of: [Int].self) { group in
            for part in 0..<8 {
                group.addTask {
                    var changed = data
                    let bits =
                        isThorough
                        ? data.indices.map { ($0, part) }
                        : data.indices.filter { $0 % 8 == part }.map { ($0, Int.random(in: 0..<8)) }
                    return bits.filter { byte, place in
                        changed[byte] ^= 1 << place
                        defer { changed[byte] ^= 1 << place }
                        return isAccepted(changed)
                    }
                    .map { $0 * 8 + $1 }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }.sorted()
        }
    }
}
