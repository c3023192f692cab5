import Foundation
import Synchronization

/// Runs something that may wait on a thread that nobody else needs.
package func onThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// Runs something on some real threads at the same moment, and returns when all are done.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let gate = StartingGate()
    await withTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            group.addTask {
                await onThread {
                    gate.pass(count)
                    body(index)
                }
            }
        }
    }
}

/// Lets threads go at the same moment.
///
/// Relaxed, so that the gate itself does not order what it releases.
private final class StartingGate: Sendable {
    private let arrived = Atomic<Int>(0)

    func pass(_ count: Int) {
        arrived.wrappingAdd(1, ordering: .relaxed)
        while arrived.load(ordering: .relaxed) < count {}
    }
}
