import Foundation
import StoreCore

/// The way to the store of one launch: nothing that a killed process sends arrives, and it hears nothing.
class LaunchBackend: StoreBackend, @unchecked Sendable {  // unchecked: it may have subclasses
    private let wire: any StoreBackend
    let process: AppProcess
    let shown: ShownTransactions
    private let ownServices: StoreServices
    private let receivers = Locked<[LaunchReceiver]>([])

    init(
        _ wire: any StoreBackend,
        _ process: AppProcess,
        _ shown: ShownTransactions,
        _ historyFaults: HistoryFaults
    ) {
        self.wire = wire
        self.process = process
        self.shown = shown
        // Made once: they are asked for with each purchase.
        var services = wire.services
        services.history = services.history.map { LaunchHistory($0, process, shown, historyFaults) }
        services.content = services.content.map { LaunchContent($0, process) }
        services.receipts = services.receipts.map { LaunchReceipts($0, process, shown) }
        ownServices = services
    }

    var clock: any StoreClock { wire.clock }
    var lane: BackendLane { .caller }

    /// The store's services, of which a killed process has those that only read.
    var services: StoreServices {
        guard process.isDead else { return ownServices }
        var services = ownServices
        (services.promotions, services.codes, services.consent) = (nil, nil, nil)
        return services
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        // A queue that hears nothing keeps whoever awaits a finish.
        let lose = { @Sendable [process] in process.lose { reply(.tryLater(AppProcess.lost)) } }
        guard process.pass(.call) else { return lose() }
        wire.submit(commands) { [process] answer in
            if process.pass(.answer) { reply(answer) } else { lose() }
        }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        guard process.pass(.call) else { return }
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
        if process.pass(.call) { wire.acknowledge(through: cursor) }
    }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        process.ask(reply) { wire.products(identifiers, reply: $0) }
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

/// What one launch downloads.
private final class LaunchContent: ContentService {
    private let content: any ContentService
    private let process: AppProcess

    init(_ content: any ContentService, _ process: AppProcess) {
        self.content = content
        self.process = process
    }

    func fetchContent(_ request: ContentRequest, reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void) {
        process.ask(reply) { content.fetchContent(request, reply: $0) }
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
        process.ask(reply) { receipts.refreshReceipt(properties, reply: $0) }
    }
}

/// A receiver that hears nothing once its process is killed.
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
        guard process.pass(.update) else { return }
        shown.note(batch)
        receiver.receive(batch)
        process.pass(.update)
    }

    func connectionLost(_ failure: StoreFailure) {
        if !process.isDead { receiver.connectionLost(failure) }
    }
}
