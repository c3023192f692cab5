import Foundation
import StoreCore
import Testing

@Suite struct ReceiverLifeTests {
    @Test(.timeLimit(.minutes(1)))
    func `A receiver that goes with its last update may ask the store`() throws {
        let store = try Market().store
        let answer = Locked<Bool?>(nil)
        do {
            let receiver = LeavingReceiver(store, answer)
            store.connect(receiver, after: nil)
        }
        #expect(answer.withLock { $0 } == nil)
        #expect(store.submit(UpdateRecorder().commands(.buy("sword"))) == .taken)
        #expect(answer.withLock { $0 } == true)
    }

    @Test(.timeLimit(.minutes(1)))
    func `What an authoriser held may ask the store when another takes its place`() throws {
        let store = try Market().store
        let answer = Locked<Bool?>(nil)
        do {
            let leaving = LeavingReceiver(store, answer)
            store.authoriser = Authoriser { _ in withExtendedLifetime(leaving) { .approve } }
        }
        #expect(answer.withLock { $0 } == nil)
        store.authoriser = .approving
        #expect(answer.withLock { $0 } == true)
    }
}

/// Leaves the store with the first transaction that it hears of, and asks it something when it goes.
private final class LeavingReceiver: StoreUpdateReceiver {
    let journal = JournalID.unique()
    private let store: SandboxStore
    private let answer: Locked<Bool?>

    init(_ store: SandboxStore, _ answer: Locked<Bool?>) {
        self.store = store
        self.answer = answer
    }

    deinit {
        let sells = store.sells("sword")
        answer.withLock { $0 = sells }
    }

    func receive(_ batch: UpdateBatch) { if !batch.updates.isEmpty { store.disconnect(self) } }
    func connectionLost(_ failure: StoreFailure) {}
}
