import Foundation
import StoreCore

/// The settings of a store's servers that may change while the servers run: their availability, the app's release, their
/// shared secret, and the failures that a test has scheduled for the next requests, in order.
package final class ServerSettings: Sendable {
    /// The failure of a verification.
    struct Verification: Hashable, Sendable {
        var status: Int
        var isRetryable: Bool
    }

    /// The failures that remain, in order, each with the number of requests that are still to fail.
    struct Scheduled: Sendable {
        var verifications: [(failure: Verification, times: Int)]
        var requests: [(failure: Int, times: Int)]
    }

    private struct State {
        var isAvailable = true
        var isResponderAvailable = true
        var isReleased = true
        var sharedSecret: String?
        var verifications = Queue<Verification>()
        var requests = Queue<Int>()
    }

    /// A queue of failures, each with the number of requests that are still to fail.
    private struct Queue<Failure> {
        private(set) var entries: [(failure: Failure, times: Int)] = []

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

    private let state: Locked<State>

    /// Creates the settings of available servers, with the shared secret that verifications require; nil for none.
    package init(sharedSecret: String? = nil) { state = Locked(State(sharedSecret: sharedSecret)) }

    /// Whether the server is available.
    package var isAvailable: Bool {
        get { state.withLock { $0.isAvailable } }
        set { state.withLock { $0.isAvailable = newValue } }
    }

    /// Whether the OCSP responder is available.
    package var isResponderAvailable: Bool {
        get { state.withLock { $0.isResponderAvailable } }
        set { state.withLock { $0.isResponderAvailable = newValue } }
    }

    /// Whether the app has been released, before which the API of the production environment refuses all requests.
    package var isReleased: Bool {
        get { state.withLock { $0.isReleased } }
        set { state.withLock { $0.isReleased = newValue } }
    }

    /// The shared secret that verifications require for receipts with auto-renewable subscriptions; nil for none.
    var sharedSecret: String? {
        get { state.withLock { $0.sharedSecret } }
        set { state.withLock { $0.sharedSecret = newValue } }
    }

    /// The failures that remain.
    var scheduled: Scheduled {
        state.withLock { Scheduled(verifications: $0.verifications.entries, requests: $0.requests.entries) }
    }

    /// Removes all failures that remain.
    package func clearFailures() {
        state.withLock { ($0.verifications, $0.requests) = (Queue(), Queue()) }
    }

    func failVerifications(_ failure: Verification, times: Int) {
        state.withLock { $0.verifications.append(failure, times: times) }
    }

    /// Makes the next API requests fail with an error's number.
    package func failRequests(_ code: Int, times: Int) { state.withLock { $0.requests.append(code, times: times) } }

    /// Removes and returns the failure for the next verification; nil for none.
    func nextVerification() -> Verification? { state.withLock { $0.verifications.next() } }

    /// Removes and returns the error code for the next API request; nil for none.
    func nextRequest() -> Int? { state.withLock { $0.requests.next() } }
}

extension ServerSettings {
    /// The most seconds between two attempts to deliver a notification that can be asked for: a year.
    static let longestRetry: TimeInterval = 366 * 86_400
    /// The most retries of a notification that can be asked for.
    static let mostRetries = 100
}
