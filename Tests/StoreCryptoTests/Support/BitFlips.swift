import Foundation
import TestSupport
import Testing

/// Data of which single bits are changed: by night all of them, and by day one bit of four bytes, drawn anew each time.
enum BitFlips {
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
                        : stride(from: part * 4, to: data.count, by: 32).map {
                            (min($0 + Int.random(in: 0..<4), data.count - 1), Int.random(in: 0..<8))
                        }
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

/// Does something in many tasks at the same time, given their numbers, and returns the different results.
func inTasks<R: Hashable & Sendable>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) throws -> R
) async throws -> Set<R> {
    try await withThrowingTaskGroup(of: R.self) { group in
        for number in 0..<count { group.addTask { try body(number) } }
        return try await group.reduce(into: Set<R>()) { $0.insert($1) }
    }
}
