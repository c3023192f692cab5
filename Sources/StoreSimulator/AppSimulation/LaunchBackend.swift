import Foundation
import StoreCore

/// One launch's connection to the store, over which a killed process can neither send nor receive anything.
class LaunchBackend: StoreBackend, @unchecked Sendable {  // unchecked: it may have subclasses
    private let wire: any StoreBackend
    let process: AppProcess
    let shown: ShownTransactions
    let finishes = FinishObserver()
    private let ownServices: StoreServices
    private let receivers = Locked<[LaunchReceiver]>([])

    init(_ wire: any StoreBackend, _ process: AppProcess, _ shown: ShownTransactions, _ historyFaults: HistoryFaults) {
        self.wire = wire
        self.process = process
        self.shown = shown
        // Creates the services only once, since each purchase reads them.
        var services = wire.services
        services.history = services.history.map { LaunchHistory($0, process, shown, historyFaults) }
        services.content = services.content.map { LaunchContent($0, process) }
        services.receipts = services.receipts.map { LaunchReceipts($0, process, shown) }
        ownServices = services
    }

    var clock: any StoreClock { wire.clock }
    var lane: BackendLane { .caller }

    /// The store's services; a killed process has only those that read from the store.
    var services: StoreServices {
        guard process.isDead else { return ownServices }
        var services = ownServices
        (services.promotions, services.codes, services.consent) = (nil, nil, nil)
        return services
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        // Stores the reply, since the queue retains the tasks that await a finish until it receives one.
        let lose = { @Sendable [process] in process.lose { reply(.tryLater(AppProcess.lost)) } }
        guard process.pass(.call, "after \(commands.beginning), before it was sent to the store") else { return lose() }
        for command in commands { finishes.note(command) }
        wire.submit(commands) { [process] answer in
            let isAlive = process.pass(.answer, "after the store had taken \(commands.noun), before its answer arrived")
            if isAlive { reply(answer) } else { lose() }
        }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        guard process.pass(.call, "before the queue connected to the store") else { return }
        let own = receivers.withLock { receivers in
            if let own = receivers.first(where: { $0.receiver === receiver }) { return own }
            let own = LaunchReceiver(receiver, process, shown)
            receivers.append(own)
            return own
        }
        wire.connect(own, after: cursor)
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        let own = receivers.withLock { receivers -> LaunchReceiver? in
            let index = receivers.firstIndex { $0.receiver === receiver }
            return index.map { receivers.remove(at: $0) }
        }
        if let own { wire.disconnect(own) }
    }

    func acknowledge(through cursor: UpdateCursor) {
        if process.pass(.call, "before an update was acknowledged") { wire.acknowledge(through: cursor) }
    }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        process.ask("a request for products", reply) { wire.products(identifiers, reply: $0) }
    }

    /// Closes all connections, as the end of a process does.
    func close() {
        let all = receivers.withLock { receivers in
            defer { receivers = [] }
            return receivers
        }
        for receiver in all { wire.disconnect(receiver) }
    }
}

/// An observer of the transactions that a launch finishes, before the store does.
final class FinishObserver: Sendable {
    // Set before the launch begins, and called on its thread.
    nonisolated(unsafe) private var body: ((String) -> Void)?
    /// The transactions that were noted; a finish is sent again until it is answered.
    nonisolated(unsafe) private var noted: Set<String> = []

    /// Whether finishes are observed.
    var isUsed: Bool { body != nil }

    func use(_ body: @escaping (String) -> Void) { self.body = body }

    func note(_ command: StoreCommand) {
        guard let body, case .finish(let transaction) = command.action, TaskScheduler.current != nil,
            noted.insert(transaction).inserted
        else { return }
        body(transaction)
    }
}

/// The downloads of one launch.
private final class LaunchContent: ContentService {
    private let content: any ContentService
    private let process: AppProcess

    init(_ content: any ContentService, _ process: AppProcess) {
        self.content = content
        self.process = process
    }

    func fetchContent(_ request: ContentRequest, reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void) {
        process.ask("a request for a hosted file", reply) { content.fetchContent(request, reply: $0) }
    }
}

/// The receipts of one launch.
private final class LaunchReceipts: ReceiptService {
    private let receipts: any ReceiptService
    private let process: AppProcess
    private let shown: ShownTransactions

    init(_ receipts: any ReceiptService, _ process: AppProcess, _ shown: ShownTransactions) {
        self.receipts = receipts
        self.process = process
        self.shown = shown
    }

    func receipt(forTransaction identifier: String) -> Data? {
        shown.noteReceipt()
        return receipts.receipt(forTransaction: identifier)
    }

    var appReceipt: Data? {
        shown.noteReceipt()
        return receipts.appReceipt
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        process.ask("a request for a receipt", reply) { receipts.refreshReceipt(properties, reply: $0) }
    }
}

/// A receiver that is no longer called once its process is killed.
private final class LaunchReceiver: StoreUpdateReceiver {
    let receiver: any StoreUpdateReceiver
    private let process: AppProcess
    private let shown: ShownTransactions

    init(_ receiver: any StoreUpdateReceiver, _ process: AppProcess, _ shown: ShownTransactions) {
        self.receiver = receiver
        self.process = process
        self.shown = shown
    }

    var journal: JournalID { receiver.journal }

    func receive(_ batch: UpdateBatch) {
        guard process.pass(.update, "before \(batch.noun) arrived") else { return }
        shown.note(batch)
        receiver.receive(batch)
        process.pass(.update, "after \(batch.noun) had arrived")
    }

    func connectionLost(_ failure: StoreFailure) {
        if !process.isDead { receiver.connectionLost(failure) }
    }
}

/// The connection to the store of a launch during which no step disturbs messages or kills the process at a boundary.
///
/// The queue calls the store directly, like any store in its own process. Nothing is in flight, so no fault injector is
/// needed. The commands of a process that has ended are refused, and its queue is not notified.
final class DirectLaunchBackend: LaunchBackend, ImmediateStore, @unchecked Sendable {  // unchecked: as its superclass
    private let store: any ImmediateStore
    private let connections = Locked<Set<StoreConnectionID>>([])

    /// - Parameters:
    ///   - store: the device in the store.
    ///   - process: the launch's process.
    ///   - shown: the record of the transactions that the app was shown.
    ///   - historyFaults: the faults of queries about the user's purchases.
    init(
        _ store: any ImmediateStore,
        _ process: AppProcess,
        _ shown: ShownTransactions,
        _ historyFaults: HistoryFaults
    ) {
        self.store = store
        super.init(store, process, shown, historyFaults)
    }

    // The observer of finishes asks the app's server, which must not happen with the queue's lock held.
    var isSelfContained: Bool { store.isSelfContained && !finishes.isUsed }

    func openConnection(
        _ listener: any UpdateListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        guard process.pass(.call, "before the queue connected to the store") else {
            return StoreConnectionID(rawValue: 0)
        }
        let own = LaunchListener(listener, process)
        let connection = store.openConnection(own, journal: journal, after: cursor)
        connections.withLock { _ = $0.insert(connection) }
        return connection
    }

    func closeConnection(_ connection: StoreConnectionID) {
        if connections.withLock({ $0.remove(connection) }) != nil { store.closeConnection(connection) }
    }

    func exchange(_ commands: [StoreCommand], on connection: StoreConnectionID?, into exchange: inout Exchange) {
        guard process.pass(.call, "after \(commands.beginning)") else { return exchange.refuse(AppProcess.lost) }
        for command in commands { finishes.note(command) }
        store.exchange(commands, on: connection, into: &exchange)
        noteUpdates(exchange)
    }

    func exchange(_ command: StoreCommand, on connection: StoreConnectionID?, into exchange: inout Exchange) {
        guard process.pass(.call, "after \([command].beginning)") else { return exchange.refuse(AppProcess.lost) }
        finishes.note(command)
        store.exchange(command, on: connection, into: &exchange)
        noteUpdates(exchange)
    }

    private func noteUpdates(_ exchange: Exchange) { if case .batch = exchange.updates { shown.note(exchange.batch) } }

    override func close() {
        let all = connections.withLock { connections in
            defer { connections = [] }
            return connections
        }
        for connection in all.sorted() { store.closeConnection(connection) }
        super.close()
    }
}

/// A listener that is no longer notified once its process has ended.
private final class LaunchListener: UpdateListener {
    private let listener: any UpdateListener
    private let process: AppProcess

    init(_ listener: any UpdateListener, _ process: AppProcess) {
        self.listener = listener
        self.process = process
    }

    func updatesArrived() { if process.pass(.update, "before an update arrived") { listener.updatesArrived() } }
}

/// One launch's access to its user's history.
final class LaunchHistory: HistoryService {
    private let history: any HistoryService
    private let process: AppProcess
    private let shown: ShownTransactions
    private let faults: HistoryFaults

    init(_ history: any HistoryService, _ process: AppProcess, _ shown: ShownTransactions, _ faults: HistoryFaults) {
        self.history = history
        self.process = process
        self.shown = shown
        self.faults = faults
    }

    /// Forwards a query and its result, and injects the next fault if there is one.
    private func ask<Answer: Sendable>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ call: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) {
        process.ask("a question about the user's purchases", reply) { answered in
            // The simulation's own queries have no faults.
            if process.isSpared { call(answered) } else { faults.ask(answered, call) }
        }
    }

    func transactions(_ query: HistoryQuery, reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void) {
        ask { [shown] answer in
            if case .success(let page) = answer { shown.note(page) }
            reply(answer)
        } _: {
            history.transactions(query, reply: $0)
        }
    }

    func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    ) {
        ask(reply) { history.subscriptions(query, reply: $0) }
    }

    func appTransaction(reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void) {
        ask(reply) { history.appTransaction(reply: $0) }
    }

    func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        ask({ (answer: Result<Void, StoreFailure>) in reply(answer.failure) }) { answered in
            history.synchronize { answered($0.map { .failure($0) } ?? .success(())) }
        }
    }

    func isEligibleForIntroductoryOffer(
        inGroup group: String,
        reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    ) {
        ask(reply) { history.isEligibleForIntroductoryOffer(inGroup: group, reply: $0) }
    }

    func requestRefund(
        ofTransaction identifier: String,
        reply: @escaping @Sendable (Result<RefundAnswer, StoreFailure>) -> Void
    ) {
        ask(reply) { history.requestRefund(ofTransaction: identifier, reply: $0) }
    }

    var deviceVerificationID: UUID? { history.deviceVerificationID }

    func follow(_ listener: any HistoryListener) {
        if !process.isDead { history.follow(listener) }
    }
}

/// The faults of Store Kit 2 queries about the user's purchases.
final class HistoryFaults: Sendable {
    /// A fault of one query.
    enum Fault: Sendable {
        /// The query fails without being made.
        case fail(StoreFailure)
        /// The result is delayed by some seconds.
        case delay(TimeInterval)
    }

    private struct State {
        /// The faults of the next queries.
        var next: [Fault] = []
        /// The closures that deliver delayed results, by the number of the query.
        var late: [Int: @Sendable () -> Void] = [:]
        var count = 0
    }

    private let state = Locked(State())
    private let clock: ManualClock

    init(clock: ManualClock) { self.clock = clock }

    /// The number of queries with a fault.
    var count: Int { state.withLock { $0.count } }

    func add(_ fault: Fault) { state.withLock { $0.next.append(fault) } }
    func removeAll() { state.withLock { $0.next = [] } }

    /// Makes a query, and injects the next fault if there is one.
    func ask<Answer: Sendable>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ call: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) {
        let (fault, number) = state.withLock { state -> (Fault?, Int) in
            guard !state.next.isEmpty else { return (nil, state.count) }
            state.count += 1
            return (state.next.removeFirst(), state.count)
        }
        switch fault {
        case nil: call(reply)
        case .fail(let failure): reply(.failure(failure))
        case .delay(let seconds): call { answer in self.keep(number, for: seconds) { reply(answer) } }
        }
    }

    /// Delays the result of a query with a fault, stored under the query's number, for some seconds.
    private func keep(_ number: Int, for seconds: TimeInterval, _ answer: @escaping @Sendable () -> Void) {
        state.withLock { $0.late[number] = answer }
        clock.schedule(at: clock.now + seconds) { [weak self] in
            self?.state.withLock { $0.late.removeValue(forKey: number) }?()
        }
    }

    /// Delivers all delayed results, so nothing waits for them at the end of the life.
    func answerLate() {
        let late = state.withLock { state in
            defer { state.late = [:] }
            return state.late.sorted { $0.key < $1.key }.map(\.value)
        }
        for answer in late { answer() }
    }
}
