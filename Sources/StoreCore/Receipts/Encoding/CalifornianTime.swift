import Foundation

/// The offset of Los Angeles from UTC: receipts state their dates in both.
///
/// Foundation's answer takes longer than everything else about a date together. The offset changes twice a year, so
/// answers are cached.
enum CalifornianTime {
    /// A stretch of constant offset, up to a moment in seconds since 1970.
    private struct Stretch {
        let end: Int
        let offset: Int
    }

    // Foundation brings its own zone data along; a platform without any would have no receipts to write.
    private static let zone = TimeZone(identifier: "America/Los_Angeles")!

    /// The stretches of one slice of time after the other from 1970 on, each slice a little longer than a year.
    private static let slices = Locked([[Stretch]?](repeating: nil, count: 128))
    private static let sliceLength = 1 << 25

    /// Returns the offset in seconds, at a time in seconds since 1970; negative, as it is west of Greenwich.
    static func offset(at seconds: Int) -> Int {
        // Before 1970 clocks were also changed in ways other than daylight saving.
        guard seconds >= 0, seconds < 128 * sliceLength else { return offsetToFoundation(at: seconds) }
        let slice = seconds / sliceLength
        let known = slices.withLock { slices in slices[slice].map { offset(at: seconds, in: $0) } }
        if let known { return known }
        let stretches = stretches(of: slice)
        slices.withLock { $0[slice] = stretches }
        return offset(at: seconds, in: stretches)
    }

    private static func offset(at seconds: Int, in stretches: [Stretch]) -> Int {
        for stretch in stretches where seconds < stretch.end { return stretch.offset }
        return offsetToFoundation(at: seconds)
    }

    private static func stretches(of slice: Int) -> [Stretch] {
        var stretches: [Stretch] = []
        var start = slice * sliceLength
        let end = start + sliceLength
        while start < end {
            let change = zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(start)))
            // A change at the same moment would make the loop endless.
            let next = change.map { max(start + 1, Int($0.timeIntervalSince1970)) } ?? end
            stretches.append(Stretch(end: min(next, end), offset: offsetToFoundation(at: start)))
            start = next
        }
        return stretches
    }

    private static func offsetToFoundation(at seconds: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
    }
}
