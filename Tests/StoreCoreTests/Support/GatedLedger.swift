import Foundation
import StoreCore

/// A ledger that keeps whoever appends waiting while its gate is closed, as a slow disk does.
final class GatedLedger: DurableLedger, @unchecked Sendable {  // unchecked: what changes is behind the condition's lock
    let lane: BackendLane
    private let kept = MemoryLedger()
    private let condition = NSCondition()
    private var isClosed = false
    private var hasArrived = false

    init(lane: BackendLane) { self.lane = lane }

    func close() { condition.withLock { (isClosed, hasArrived) = (true, false) } }

    func open() {
        condition.withLock {
            isClosed = false
            condition.broadcast()
        }
    }

    /// Waits until somebody is at the closed gate.
    func waitForArrival() { condition.withLock { while !hasArrived { condition.wait() } } }

    var head: Int { kept.head }

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) -> Bool {
        condition.withLock {
            hasArrived = true
            condition.broadcast()
            while isClosed { condition.wait() }
        }
        return kept.append(records, ifHeadIs: head)
    }

    func commit() {}
    func read(after position: Int, limit: Int) -> [LedgerRecord] { kept.read(after: position, limit: limit) }
    func snapshot() -> LedgerSnapshot? { nil }
    func keep(_ snapshot: LedgerSnapshot) {}
}
