import Foundation
import StoreCore
import Testing

@Suite struct ReceiverLifeTests {
    @Test(.timeLimit(.minutes(10))) func `A receiver that goes with its last update may ask the store`() throws {
        let store = try Market().store
        let answer = Locked<Bool?>(nil)
        do { store.connect(LeavingReceiver(store, answer), after: nil) }
        #expect(answer.withLock { $0 } == nil)
        #expect(store.submit(UpdateRecorder().commands(.buy("sword"))) == .taken)
        #expect(answer.withLock { $0 } == true)
    }

    @Test(.timeLimit(.minutes(10)))
    func `What an authorizer held may ask the store when another takes its place`() throws {
        let store = try Market().store
        let answer = Locked<Bool?>(nil)
        do {
            let leaving = LeavingReceiver(store, answer)
            store.authorizer = Authorizer { _ in withExtendedLifetime(leaving) { .approve } }
        }
        #expect(answer.withLock { $0 } == nil)
        store.authorizer = .approving
        #expect(answer.withLock { $0 } == true)
    }

    @Test func `A receiver that connects twice is told once`() throws {
        let store = try Market().store
        let receiver = UpdateRecorder()
        store.connect(receiver, after: nil)
        store.connect(receiver, after: nil)
        #expect(store.submit(receiver.commands(.buy("sword"))) == .taken)
        #expect(receiver.transactions == ["1 purchased"])
        store.disconnect(receiver)
        #expect(store.submit(receiver.commands(.buy("sword"))) == .taken)
        #expect(receiver.transactions == ["1 purchased"])
    }

    @Test func `A receiver that connects anew from a callback is called again once that has returned`() throws {
        let store = try Market().store
        let receiver = RestlessReceiver(store, connections: 1000)
        store.connect(receiver, after: nil)
        // Each of them finds the store out of reach.
        store.isReachable = false
        let (losses, deepest) = receiver.state.withLock { ($0.losses, $0.deepest) }
        #expect(losses == 1000 && deepest == 1)
        store.isReachable = true
        store.connect(receiver, after: nil)
        #expect(store.submit(UpdateRecorder().commands(.buy("sword"))) == .taken)
        #expect(receiver.state.withLock { $0.updates } == 1)
    }

    @Test func `What was to ring a store that has gone finds nobody`() throws {
        let clock = ManualClock()
        let receiver = UpdateRecorder()
        weak var weakStore: SandboxStore?
        do {
            let gold = SandboxProduct.autoRenewable("gold", price: "4.99", period: .init(1, .month), group: "metals")
            let store = try SandboxStore(products: [gold], clock: clock)
            store.connect(receiver, after: nil)
            #expect(store.submit(receiver.commands(.buy("gold"))) == .taken)
            weakStore = store
        }
        #expect(weakStore == nil)
        receiver.clear()
        clock.advance(by: 90 * 86_400)
        #expect(receiver.batches.isEmpty)
    }
}

/// Leaves the store with the first transaction that it hears of, and asks it something when it goes.
private final class LeavingReceiver: StoreUpdateReceiver {
    let journal = JournalID.unique()
    private let store: SandboxStore
    private let answer: Locked<Bool?>

    init(_ store: SandboxStore, _ answer: Locked<Bool?>) { (self.store, self.answer) = (store, answer) }

    deinit {
        let sells = store.sells("sword")
        answer.withLock { $0 = sells }
    }

    func receive(_ batch: UpdateBatch) { if !batch.updates.isEmpty { store.disconnect(self) } }
    func connectionLost(_ failure: StoreFailure) {}
}

/// Connects anew whenever its connection is lost, and notices if it is called within a call.
private final class RestlessReceiver: StoreUpdateReceiver {
    struct State {
        var depth = 0
        var deepest = 0
        var losses = 0
        var updates = 0
    }

    let journal = JournalID.unique()
    let state = Locked(State())
    private let store: SandboxStore
    private let connections: Int

    init(_ store: SandboxStore, connections: Int) { (self.store, self.connections) = (store, connections) }

    func receive(_ batch: UpdateBatch) { state.withLock { $0.updates += batch.updates.count } }

    func connectionLost(_ failure: StoreFailure) {
        let isOver = state.withLock { state in
            state.depth += 1
            state.deepest = max(state.deepest, state.depth)
            state.losses += 1
            return state.losses == connections
        }
        if !isOver { store.connect(self, after: nil) }
        state.withLock { $0.depth -= 1 }
    }
}
