import Foundation
import StoreCore

/// A store that does only what a test tells it to: nothing is answered and nothing sent by itself.
final class ScriptedBackend: StoreBackend {
    struct Submission: Sendable {
        let commands: [StoreCommand]
        let reply: @Sendable (SubmissionReply) -> Void
    }

    struct Connection: Sendable {
        let receiver: any StoreUpdateReceiver
        let cursor: UpdateCursor?
    }

    private struct State {
        var submissions: [Submission] = []
        var connections: [Connection] = []
        var disconnections = 0
        var acknowledged: [UpdateCursor] = []
        var lookUps: [@Sendable (Result<ProductsAnswer, StoreFailure>) -> Void] = []
        var onSubmit: (@Sendable (Submission) -> Void)?
    }

    private let state = Locked(State())
    let clock: any StoreClock
    let lane: BackendLane

    init(clock: ManualClock = ManualClock(), lane: BackendLane = .caller) {
        self.clock = clock
        self.lane = lane
    }

    var submissions: [Submission] { state.withLock { $0.submissions } }
    var connections: [Connection] { state.withLock { $0.connections } }
    var disconnections: Int { state.withLock { $0.disconnections } }
    var acknowledged: [UpdateCursor] { state.withLock { $0.acknowledged } }
    var lookUps: [@Sendable (Result<ProductsAnswer, StoreFailure>) -> Void] { state.withLock { $0.lookUps } }

    /// Lets go of the answers to look-ups, and of whom they are for.
    func forgetLookUps() { state.withLock { $0.lookUps = [] } }

    /// What to do inside `submit`, before it returns.
    func onSubmit(_ body: (@Sendable (Submission) -> Void)?) { state.withLock { $0.onSubmit = body } }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let submission = Submission(commands: commands, reply: reply)
        let body = state.withLock { state in
            state.submissions.append(submission)
            return state.onSubmit
        }
        body?(submission)
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        state.withLock { $0.connections.append(Connection(receiver: receiver, cursor: cursor)) }
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) { state.withLock { $0.disconnections += 1 } }

    func acknowledge(through cursor: UpdateCursor) { state.withLock { $0.acknowledged.append(cursor) } }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        state.withLock { $0.lookUps.append(reply) }
    }
}

extension ScriptedBackend {
    /// Sends a batch to the newest connection.
    func send(after: UpdateCursor?, through: UpdateCursor, _ updates: StoreUpdate...) {
        connections.last?.receiver.receive(UpdateBatch(after: after, through: through, updates: updates))
    }

    /// Sends an empty snapshot.
    func sendNothingUnfinished(at position: Int = 0) { send(after: nil, through: UpdateCursor(position: position)) }

    /// Breaks the newest connection.
    func loseConnection() { connections.last?.receiver.connectionLost(.network(.networkConnectionLost, "cut")) }

    /// Answers the newest submission.
    func answer(_ reply: SubmissionReply) { submissions.last?.reply(reply) }
}

extension SubmissionReply {
    static let trouble = SubmissionReply.tryLater(.network(.timedOut, "no answer"))
}

extension UpdateCursor {
    static func at(_ position: Int, part: Int? = nil) -> UpdateCursor { UpdateCursor(position: position, part: part) }
}

extension StoreUpdate {
    static func transaction(
        _ identifier: String,
        _ state: StoreTransaction.State,
        of product: String = "sword",
        order: OrderID? = nil,
        failure: StoreFailure? = nil
    ) -> StoreUpdate {
        .transaction(
            StoreTransaction(
                identifier: identifier,
                order: order,
                payment: StorePayment(productIdentifier: product),
                state: state,
                date: Date(timeIntervalSince1970: 1_735_689_600),
                failure: failure
            )
        )
    }
}
