import Foundation
import StoreCore
import StoreRemote

extension RemoteStore.Configuration {
    init(timeout: TimeInterval) {
        self.init()
        self.timeout = timeout
    }
}

extension RemoteStore {
    /// Opens a stream, and returns once it has begun.
    func connected() async -> (backend: any StoreBackend, receiver: Receiver) {
        let (backend, receiver) = (asStoreBackend(), Receiver())
        backend.connect(receiver, after: nil)
        await receiver.waitForBatches(1)
        return (backend, receiver)
    }

    /// Opens a stream, and returns why it was lost.
    func loss() async -> StoreFailure {
        let (backend, receiver) = (asStoreBackend(), Receiver())
        backend.connect(receiver, after: nil)
        await receiver.waitForLoss()
        return receiver.losses[0]
    }
}

extension StoreCommand {
    init(_ action: Action, in journal: JournalID = .unique(), number: Int = 1) {
        self.init(id: OrderID(journal: journal, number: number), action: action)
    }

    /// The order of a product, the first in a journal.
    static func purchase(of product: String, in journal: JournalID = .unique()) -> StoreCommand {
        StoreCommand(.purchase(StorePayment(productIdentifier: product)), in: journal)
    }
}

extension Welcome {
    /// An answer to a greeting, without a receipt.
    init(
        version: Int = DeviceProtocol.versions.newest,
        heartbeat: Double = 600,
        status: DeviceStatus = DeviceStatus()
    ) { self.init(version: version, heartbeat: heartbeat, status: status, receipt: nil) }
}

/// The end of a connection, for tests without a queue; a test waits for what comes.
final class Receiver: StoreUpdateReceiver, HistoryListener {
    private struct State {
        var batches: [UpdateBatch] = []
        var losses: [StoreFailure] = []
        var changes = 0
        var waiters: [(isSo: @Sendable (State) -> Bool, CheckedContinuation<Void, Never>)] = []
    }

    let journal: JournalID
    private let state = Locked(State())

    init(journal: JournalID = .unique()) { self.journal = journal }

    var batches: [UpdateBatch] { state.withLock { $0.batches } }
    var losses: [StoreFailure] { state.withLock { $0.losses } }
    var changes: Int { state.withLock { $0.changes } }

    func receive(_ batch: UpdateBatch) { change { $0.batches.append(batch) } }
    func connectionLost(_ failure: StoreFailure) { change { $0.losses.append(failure) } }
    func historyChanged() { change { $0.changes += 1 } }

    func waitForBatches(_ count: Int) async { await wait { $0.batches.count >= count } }
    /// Waits until a purchase is told; that it was ordered may be told before.
    func waitForPurchase() async {
        await wait { state in
            state.batches.lazy.flatMap(\.updates).contains { update in
                if case .transaction(let transaction) = update { transaction.state == .purchased } else { false }
            }
        }
    }
    func waitForLoss() async { await wait { !$0.losses.isEmpty } }
    func waitForChange(after count: Int) async { await wait { $0.changes > count } }

    private func wait(until isSo: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { waiter in
            let isDone = state.withLock { state in
                if isSo(state) { return true }
                state.waiters.append((isSo, waiter))
                return false
            }
            if isDone { waiter.resume() }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            let now = state
            state.waiters.removeAll { $0.isSo(now) }
            return now.waiters.filter { $0.isSo(now) }
        }
        for (_, waiter) in waiters { waiter.resume() }
    }
}
