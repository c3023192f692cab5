import Dispatch

/// Keeps one thread waiting until it is opened.
final class Gate: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    func pass() {
        arrived.signal()
        opened.wait()
    }

    func waitForArrival() { arrived.wait() }
    func open() { opened.signal() }
}
