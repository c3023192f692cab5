import Foundation
import Testing

@testable import StoreRemote

@Suite struct LineSplitterTests {
    @Test(arguments: [[10], [4, 6], [9, 1]]) func `A line of as many bytes as allowed is passed on`(
        pieces: [Int]
    ) throws {
        #expect(try lines(pieces) == [10])
    }

    @Test(arguments: [[11], [4, 7], [10, 10]]) func `A longer line is refused, also where its end has come`(
        pieces: [Int]
    ) {
        #expect(throws: LineSplitter.TooLong.self) { try lines(pieces) }
    }

    /// Returns the lengths of the lines, of at most 10 bytes, that come in pieces with the end of a line behind the last.
    private func lines(_ pieces: [Int]) throws -> [Int] {
        var splitter = LineSplitter(limit: 10)
        var lengths: [Int] = []
        for (index, count) in pieces.enumerated() {
            let end = Data((index == pieces.count - 1 ? "\n" : "").utf8)
            try splitter.take(Data(repeating: 0x20, count: count) + end) { lengths.append($0.count) }
        }
        return lengths
    }
}
