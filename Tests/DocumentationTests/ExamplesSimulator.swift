// The code of the article "The simulator", compiled and run.
import Foundation
import ModelSimulator
import StoreContract
import StoreCore
import StoreSQLite
import Testing

/// A backend that takes orders and forgets them.
private final class Forgetful: StoreBackend {
    private let backend: any StoreBackend

    init(_ backend: any StoreBackend) { self.backend = backend }

    var clock: any StoreClock { backend.clock }
    var lane: BackendLane { .caller }
    var services: StoreServices { backend.services }
    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) { reply(.taken) }
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        backend.connect(receiver, after: cursor)
    }
    func disconnect(_ receiver: any StoreUpdateReceiver) { backend.disconnect(receiver) }
    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        backend.products(identifiers, reply: reply)
    }
}

@Suite struct SimulatorArticle {
    @Test func `Simulator, runs`() {
        let report = Simulator.run(seed: 1, runs: 20)
        #expect(report.failure == nil)
    }

    @Test func `Simulator, runs on one transport`() {
        let report = Simulator.run(seed: 1, runs: 20, transport: .direct)
        #expect(report.failure == nil)
    }

    @Test(.enabled(if: SQLite.isAvailable, Comment(rawValue: SQLite.advice)))
    func `Simulator, runs on SQLite`() {
        let report = Simulator.run(seed: 1, runs: 20, storage: .sqlite)
        #expect(report.failure == nil)
    }

    @Test func `Simulator, a shrunk run`() throws {
        try SimulatedRun(
            seed: 2198,
            operations: [
                .injectFault(device: 0, fault: .cut, point: .reply),
                .add(device: 0, product: .sword, quantity: 1),
                .signIn(device: 0, account: 1),
                .signIn(device: 0, account: 0),
            ]
        ).run()
    }

    @Test func `Simulator, a broken store`() {
        let failure = Simulator.run(seed: 1, runs: 20, standIn: { Forgetful($0) }).failure
        #expect(failure != nil)
    }
}
