import StoreCore

/// The failures that a test has scheduled for the next requests, in order.
package final class FailureSchedule: Sendable {
    /// The failure of a verification.
    struct Verification: Hashable, Sendable {
        var status: Int
        var isRetryable: Bool
    }

    private struct State {
        var isAvailable = true
        var verifications = Queue<Verification>()
        var requests = Queue<Int>()
    }

    /// A queue of failures, each with the number of requests that are still to fail.
    private struct Queue<Failure> {
        private var entries: [(failure: Failure, times: Int)] = []

        mutating func append(_ failure: Failure, times: Int) {
            if times > 0 { entries.append((failure, times)) }
        }

        mutating func next() -> Failure? {
            guard let first = entries.first else { return nil }
            entries[0].times -= 1
            if entries[0].times == 0 { entries.removeFirst() }
            return first.failure
        }
    }

    private let state = Locked(State())

    package init() {}

    /// Whether the server is available.
    package var isAvailable: Bool {
        get { state.withLock { $0.isAvailable } }
        set { state.withLock { $0.isAvailable = newValue } }
    }

    func failVerifications(_ failure: Verification, times: Int) {
        state.withLock { $0.verifications.append(failure, times: times) }
    }

    func failRequests(_ code: Int, times: Int) { state.withLock { $0.requests.append(code, times: times) } }

    /// Removes and returns the failure for the next verification; nil for none.
    func nextVerification() -> Verification? { state.withLock { $0.verifications.next() } }

    /// Removes and returns the error code for the next API request; nil for none.
    func nextRequest() -> Int? { state.withLock { $0.requests.next() } }
}
