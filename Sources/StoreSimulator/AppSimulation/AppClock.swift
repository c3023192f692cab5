import Foundation
import StoreCore

/// The clock of a simulated life, for apps that accept a `Clock`.
///
/// The clock shows the time of the store's clock, which only the steps of the simulation advance.
public struct AppClock: Clock {
    /// A moment in a simulated life.
    public struct Instant: InstantProtocol {
        /// The time since the beginning of the life.
        public let offset: Duration

        /// Returns the moment after a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the time until another moment.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Returns whether a moment is before another.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let scheduler: TaskScheduler
    private let beginning: Date

    /// Creates the clock of a life that begins now.
    init(_ scheduler: TaskScheduler) {
        self.scheduler = scheduler
        beginning = scheduler.now
    }

    /// The date by the store's clock.
    var date: Date { scheduler.now }
    /// The present moment.
    public var now: Instant { Instant(offset: .seconds(date.timeIntervalSince(beginning))) }
    /// The shortest measurable time.
    public var minimumResolution: Duration { .milliseconds(1) }

    /// Waits until the clock has reached a moment.
    ///
    /// - Parameters:
    ///   - deadline: the moment; one that has passed already is not waited for.
    ///   - tolerance: has no effect.
    /// - Throws: `CancellationError` if the task is canceled first.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let (seconds, attoseconds) = now.duration(to: deadline).components
        let wait = Double(seconds) + Double(attoseconds) * 1e-18
        try Task.checkCancellation()
        if wait <= 0 { return }
        let sleeper = Sleeper(scheduler)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleeper.sleep(continuation, wait)
            }
        } onCancel: {
            sleeper.end(with: .failure(CancellationError()))
        }
    }

    /// A task that sleeps.
    private final class Sleeper: Sendable {
        private struct State {
            var continuation: CheckedContinuation<Void, any Error>?
            var number: Int?
            var isCanceled = false
        }

        private let state = Locked(State())
        private let scheduler: TaskScheduler

        init(_ scheduler: TaskScheduler) { self.scheduler = scheduler }

        func sleep(_ continuation: CheckedContinuation<Void, any Error>, _ seconds: TimeInterval) {
            let isCanceled = state.withLock { state in
                if !state.isCanceled { state.continuation = continuation }
                return state.isCanceled
            }
            if isCanceled { return continuation.resume(throwing: CancellationError()) }
            let number = scheduler.sleep(until: scheduler.now + seconds) { self.end(with: .success(())) }
            state.withLock { $0.number = number }
        }

        func end(with result: Result<Void, any Error>) {
            let (continuation, number) = state.withLock { state in
                if case .failure = result { state.isCanceled = true }
                defer { (state.continuation, state.number) = (nil, nil) }
                return (state.continuation, state.number)
            }
            if let number { scheduler.forget(number) }
            continuation?.resume(with: result)
        }
    }
}
