import Foundation

/// The clocks of the figures.
enum Stopwatch {
    /// Returns the duration of a body, in nanoseconds.
    static func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure(body) / .nanoseconds(1)
    }

    /// Returns the duration of an asynchronous body, in nanoseconds.
    static func nanoseconds(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Void
    ) async rethrows -> Double {
        try await ContinuousClock().measure(isolation: isolation, body) / .nanoseconds(1)
    }

    /// Returns the duration of a body, in milliseconds.
    static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure(body) / .milliseconds(1)
    }

    /// Returns the longest single turn of `count`, in nanoseconds of this thread's CPU time: another process's turn on
    /// the processor would otherwise be the longest of a million.
    static func longest(of count: Int, _ body: () throws -> Void) rethrows -> Double {
        var longest: UInt64 = 0
        var last = threadTime
        for _ in 0..<count {
            try body()
            let now = threadTime
            longest = max(longest, now - last)
            last = now
        }
        return Double(longest)
    }

    private static var threadTime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
