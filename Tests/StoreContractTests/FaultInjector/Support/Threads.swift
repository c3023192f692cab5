import Foundation
import Synchronization

/// Runs something on some real threads at the same moment, and returns when all are done.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    // Relaxed, so that the gate itself does not order what it releases.
    let gate = Gate()
    await withTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            group.addTask {
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        gate.pass(count)
                        body(index)
                        continuation.resume()
                    }
                }
            }
        }
    }
}

private final class Gate: Sendable {
    private let arrived = Atomic<Int>(0)

    func pass(_ count: Int) {
        arrived.wrappingAdd(1, ordering: .relaxed)
        while arrived.load(ordering: .relaxed) < count {}
    }
}
