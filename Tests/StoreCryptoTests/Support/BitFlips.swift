import Foundation
import Testing

/// Data of which single bits are changed.
enum BitFlips {
    /// Tries to change each single bit of data that has to be accepted as it is.
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
            for place in 0..<8 {
                group.addTask {
                    var changed = data
                    return data.indices.filter { byte in
                        changed[byte] ^= 1 << place
                        defer { changed[byte] ^= 1 << place }
                        return isAccepted(changed)
                    }
                    .map { $0 * 8 + place }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }.sorted()
        }
    }
}
