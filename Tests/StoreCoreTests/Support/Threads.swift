import Foundation
import Synchronization

/// Lets threads go at the same moment.
///
/// Relaxed, so that the gate itself does not order what it releases.
final class StartingGate: Sendable {
    private let arrived = Atomic<Int>(0)

    func pass(_ count: Int) {
        arrived.wrappingAdd(1, ordering: .relaxed)
        while arrived.load(ordering: .relaxed) < count {}
    }
}

/// Runs something on some real threads at once, and returns when all are done.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
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
