import Dispatch
import StoreCore

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

/// Something that happens once, and can be waited for.
final class Signal: Sendable {
    private let state = Locked<(hasFired: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func fire() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let hasFired = state.withLock { state in
                if !state.hasFired { state.waiters.append(continuation) }
                return state.hasFired
            }
            if hasFired { continuation.resume() }
        }
    }
}
