import Foundation
import StoreContract
import StoreCore

/// A store that a test plays: it keeps what arrives and says what it is told to say.
final class Counter: StoreBackend, StorefrontService, ReceiptService, ContentService {
    private struct State {
        var arrived: [String] = []
        var receivers: [any StoreUpdateReceiver] = []
        var replies: [@Sendable (SubmissionReply) -> Void] = []
        var answersAtOnce = true
        var beforeConnect: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    let clock: any StoreClock

    init(clock: ManualClock) { self.clock = clock }

    var lane: BackendLane { .caller }
    /// A line for each call that came, in order.
    var arrived: [String] { state.withLock { $0.arrived } }
    /// Whom it has been asked to send updates to.
    var receivers: [any StoreUpdateReceiver] { state.withLock { $0.receivers } }
    /// What has not been answered yet, while it does not answer at once.
    var replies: [@Sendable (SubmissionReply) -> Void] { state.withLock { $0.replies } }

    /// From now on answers wait in ``replies``.
    func keepSilent() { state.withLock { $0.answersAtOnce = false } }

    /// What happens while a connection is being made.
    func beforeConnect(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.beforeConnect = body } }

    private func note(_ line: String) { state.withLock { $0.arrived.append(line) } }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        note("submit \(commands.map { String($0.id.number) }.joined(separator: " "))")
        let isNow = state.withLock { state in
            if !state.answersAtOnce { state.replies.append(reply) }
            return state.answersAtOnce
        }
        if isNow { reply(.taken) }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        state.withLock { $0.beforeConnect }?()
        note("connect")
        state.withLock { $0.receivers.append(receiver) }
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) { note("disconnect") }

    func acknowledge(through cursor: UpdateCursor) { note("acknowledge \(cursor)") }

    func products(_ identifiers: Set<String>, reply: @escaping Reply<ProductsAnswer>) {
        note("products")
        reply(.success(ProductsAnswer(products: [], invalidIdentifiers: identifiers.sorted())))
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        note("refresh")
        reply(nil)
    }

    var storefront: StoreStorefront? { nil }

    func fetchContent(_ request: ContentRequest, reply: @escaping Reply<Data>) {
        reply(.failure(.storeKit(.unknown, "nothing is hosted")))
    }
}

/// A queue's end of a connection that keeps what it is told.
final class Receiver: StoreUpdateReceiver {
    private struct State {
        var positions: [Int] = []
        var failures: [StoreFailure] = []
        var positionsWhenLost: [Int] = []
        var isBusy = false
        var hasOverlapped = false
    }

    private let state = Locked(State())
    private let onUpdate: @Sendable (Int) -> Void
    let journal = JournalID(rawValue: 1)

    /// Makes one that does something of its own while it is being told, given where the batch ends.
    init(onUpdate: @escaping @Sendable (Int) -> Void = { _ in }) { self.onUpdate = onUpdate }

    /// Where the batches end that came, in the order in which they came.
    var positions: [Int] { state.withLock { $0.positions } }
    var failures: [StoreFailure] { state.withLock { $0.failures } }
    /// What had come when the last connection was lost.
    var positionsWhenLost: [Int] { state.withLock { $0.positionsWhenLost } }
    /// Whether it was called by two at once.
    var hasOverlapped: Bool { state.withLock { $0.hasOverlapped } }

    func receive(_ batch: UpdateBatch) {
        let position = batch.through.position
        note(doing: { onUpdate(position) }) { $0.positions.append(position) }
    }

    func connectionLost(_ failure: StoreFailure) {
        note(doing: {}) { state in
            state.failures.append(failure)
            state.positionsWhenLost = state.positions
        }
    }

    private func note(doing work: () -> Void, _ body: (inout State) -> Void) {
        state.withLock { state in
            if state.isBusy { state.hasOverlapped = true }
            state.isBusy = true
            body(&state)
        }
        work()
        state.withLock { $0.isBusy = false }
    }
}

/// A store that a test plays, an injector before it, and a receiver that is connected through it.
struct Wire: Sendable {
    let clock = ManualClock()
    let store: Counter
    let injector: FaultInjector
    let receiver: Receiver
    let answers = Locked<[SubmissionReply]>([])

    init(label: String? = nil, seed: UInt64 = 0, timeout: TimeInterval = 60, receiver: Receiver = Receiver()) {
        self.receiver = receiver
        store = Counter(clock: clock)
        injector = FaultInjector(store, label: label, seed: seed, timeout: timeout)
    }

    func connect() { injector.connect(receiver, after: nil) }

    /// Sends the batches that end at these positions, through the newest connection.
    func send(_ positions: Int..., of product: String = "sword") {
        for position in positions {
            let transaction = StoreTransaction(
                identifier: "t\(position)",
                order: nil,
                payment: StorePayment(productIdentifier: product),
                state: .purchased,
                date: clock.now
            )
            let (after, through) = (UpdateCursor(position: position - 1), UpdateCursor(position: position))
            let batch = UpdateBatch(after: after, through: through, updates: [.transaction(transaction)])
            store.receivers.last?.receive(batch)
        }
    }

    /// Submits the purchases with these numbers, one by one.
    func submit(_ numbers: Int..., of product: String = "sword", user: String? = nil) {
        let payment = StorePayment(productIdentifier: product, applicationUsername: user)
        for number in numbers { submit(number, .purchase(payment)) }
    }

    func submit(_ number: Int, _ action: StoreCommand.Action) {
        let command = StoreCommand(id: OrderID(journal: receiver.journal, number: number), action: action)
        injector.submit([command]) { [answers] answer in answers.withLock { $0.append(answer) } }
    }

    /// What was answered to submissions, in short.
    var replies: [String] {
        answers.withLock { answers in
            answers.map { answer in
                switch answer {
                case .taken: "taken"
                case .tryLater(let failure): "try later \(failure.code)"
                case .refused(let commands): "refused \(commands.count)"
                }
            }
        }
    }
}

extension StoreFailure {
    var isTimeout: Bool { domain == .network && code == URLError.timedOut.rawValue }
    var isLoss: Bool { domain == .network && code == URLError.networkConnectionLost.rawValue }
}
