import Foundation
import Testing

@testable import sandbox_store

/// What a terminal shows while runs are performed.
@Suite struct ProgressLineTests {
    @Test(arguments: [
        (0, 1000, 0, "0 of 1000 runs"),
        (0, 1000, 2, "0 of 1000 runs"),
        (500, 1000, 0, "500 of 1000 runs"),
        (500, 1000, 10, "500 of 1000 runs, 50 a second, 10 s left"),
        (32, 1000, 20, "32 of 1000 runs, 1.6 a second, 10 min 5 s left"),
        (100, 100_100, 10, "100 of 100100 runs, 10 a second, 2 h 46 min left"),
        (1000, 1000, 4, "1000 of 1000 runs, 250 a second, 0 s left"),
        (1, Int.max, 1e9, "1 of 9223372036854775807 runs, 0.0 a second, 277777 h 46 min left"),
    ]) func `The line says how many runs are over, how many that is in a second and how long the rest takes`(
        done: Int,
        total: Int,
        elapsed: TimeInterval,
        text: String
    ) {
        #expect(ProgressLine.text(done: done, of: total, elapsed: elapsed) == text)
    }

    @Test func `The line is written at most ten times a second, over the one before`() {
        var line = ProgressLine(total: 100)
        #expect(line.add(10, elapsed: 1) == "\r\u{1B}[K10 of 100 runs, 10 a second, 9 s left")
        #expect(line.add(10, elapsed: 1.05) == nil)
        #expect(line.add(10, elapsed: 1.5) == "\r\u{1B}[K30 of 100 runs, 20 a second, 4 s left")
    }
}
