import Foundation
import StoreCore

/// Stands between a queue and a sandbox and spoils what goes to and fro.
final class SpoilingBackend: StoreBackend, AvailabilityService, StorefrontService {
    /// What becomes of a submission.
    enum Fate {
        case pass
        /// The sandbox takes it, the answer is lost.
        case loseAnswer
        /// It never reaches the sandbox, and nothing comes back.
        case loseRequest
        /// The sandbox takes it, the queue is told to try later.
        case denyHavingTaken
        /// The answer comes twice.
        case answerTwice
        /// The answer comes when ``release()`` is called.
        case hold
    }

    private struct State {
        var fate: Fate = .pass
        var spoil: (@Sendable (UpdateBatch) -> [UpdateBatch])?
        var held: [@Sendable () -> Void] = []
        var relays: [ObjectIdentifier: Relay] = [:]
        var submissions: [[StoreCommand]] = []
        var connections = 0
    }

    let store: SandboxStore
    private let state = Locked(State())

    init(_ store: SandboxStore) { self.store = store }

    var fate: Fate {
        get { state.withLock { $0.fate } }
        set { state.withLock { $0.fate = newValue } }
    }

    /// What was submitted, whatever became of it.
    var submissions: [[StoreCommand]] { state.withLock { $0.submissions } }
    /// How often a queue has connected.
    var connections: Int { state.withLock { $0.connections } }

    /// What arrives in the place of a batch.
    func spoilBatches(_ body: (@Sendable (UpdateBatch) -> [UpdateBatch])?) { state.withLock { $0.spoil = body } }

    /// Lets held answers go.
    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for body in held { body() }
    }

    /// Breaks every connection.
    func loseConnections() {
        let relays = state.withLock { Array($0.relays.values) }
        for relay in relays {
            store.disconnect(relay)
            relay.connectionLost(.network(.networkConnectionLost, "cut"))
        }
    }

    var clock: any StoreClock { store.clock }
    var lane: BackendLane { .caller }
    var canMakePayments: Bool { store.canMakePayments }
    var storefront: StoreStorefront? { store.storefront }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let fate = state.withLock { state in
            state.submissions.append(commands)
            return state.fate
        }
        switch fate {
        case .pass: store.submit(commands, reply: reply)
        case .loseAnswer: store.submit(commands) { _ in }
        case .loseRequest: break
        case .denyHavingTaken:
            store.submit(commands) { _ in }
            reply(.trouble)
        case .answerTwice:
            store.submit(commands) { answer in
                reply(answer)
                reply(answer)
                reply(.trouble)
            }
        case .hold: store.submit(commands) { [state] answer in state.withLock { $0.held.append { reply(answer) } } }
        }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        let relay = Relay(receiver, self)
        state.withLock { state in
            state.relays[ObjectIdentifier(receiver)] = relay
            state.connections += 1
        }
        store.connect(relay, after: cursor)
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        let relay = state.withLock { $0.relays.removeValue(forKey: ObjectIdentifier(receiver)) }
        if let relay { store.disconnect(relay) }
    }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        store.products(identifiers, reply: reply)
    }

    private final class Relay: StoreUpdateReceiver {
        private let receiver: any StoreUpdateReceiver
        private let backend: SpoilingBackend

        init(_ receiver: any StoreUpdateReceiver, _ backend: SpoilingBackend) {
            self.receiver = receiver
            self.backend = backend
        }

        var journal: JournalID { receiver.journal }

        func receive(_ batch: UpdateBatch) {
            let spoil = backend.state.withLock { $0.spoil }
            for batch in spoil?(batch) ?? [batch] { receiver.receive(batch) }
        }

        func connectionLost(_ failure: StoreFailure) { receiver.connectionLost(failure) }
    }
}
