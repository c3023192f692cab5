import Foundation
import StoreCore

/// A launch of the app on a device: a queue, and an observer that checks what it hears.
final class AppRun: NSObject, SKPaymentTransactionObserver, SKPaymentQueueDelegate, @unchecked Sendable {
    // unchecked: a run uses one thread.
    private struct Seen {
        let transaction: SKPaymentTransaction
        var stage: Model.Stage?
        /// Whether a new observer is told once more what it missed.
        var mayRepeat = false
        var isRemoved = false
    }

    let process: ProcessState
    let endpoint: AppEndpoint
    /// The queue's lane; nil where it works on the caller's thread.
    let lane: OperationLane?
    let downloads: DownloadMonitor
    /// The context of the app's requests.
    let context: StoreContext
    let requests: RequestTracker
    /// What it does by Store Kit 2.
    let tasks: AppTasks
    /// The requests whose end it has not reliably heard.
    private var probes: [RequestProbe] = []
    private let device: Int
    private let crashInjector: CrashInjector
    private unowned let eventLog: EventLog
    private(set) var queue: SKPaymentQueue
    private var seen: [ObjectIdentifier: Seen] = [:]
    /// The promoted payments that were offered and not taken.
    var kept: [SKPayment] = []

    init(
        _ device: Int,
        _ wire: any StoreBackend,
        _ directWire: DirectWire?,
        _ disk: JournalDisk,
        _ clock: ManualClock,
        _ pauses: ManualClock,
        _ crashInjector: CrashInjector,
        _ eventLog: EventLog,
        taskLane: TaskLane,
        hasOwnLane: Bool
    ) {
        self.device = device
        lane = hasOwnLane ? OperationLane() : nil
        if let lane { for activity in [pauses.activity, clock.activity] { activity.register(lane) } }
        self.crashInjector = crashInjector
        self.eventLog = eventLog
        downloads = DownloadMonitor(device, clock, eventLog)
        process = ProcessState()
        crashInjector.apps[device] = process
        requests = eventLog.requests[device]
        endpoint =
            directWire.map { [process, requests, lane] directWire in
                DirectAppEndpoint(
                    device,
                    wire,
                    directWire,
                    process,
                    crashInjector,
                    eventLog.payments,
                    requests,
                    lane: lane
                )
            } ?? AppEndpoint(device, wire, process, crashInjector, eventLog.payments, requests, lane: lane)
        context = StoreContext(backend: endpoint, clock: pauses, delivery: .inline, log: .silent)
        queue = SKPaymentQueue(
            backend: endpoint,
            journal: SimulatedJournal(disk, process, crashInjector, eventLog),
            clock: pauses,
            delivery: .inline,
            log: .silent
        )
        tasks = AppTasks(device, queue.storeContext, process, taskLane, crashInjector, eventLog)
        super.init()
        queue.delegate = self
    }

    func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool {
        crashInjector.pass(.notice)
        return eventLog.continues
    }

    func observe() {
        for key in seen.keys { seen[key]?.mayRepeat = true }
        downloads.lookUp()
        queue.add(self)
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        crashInjector.pass(.notice)
        if process.hasCrashed { return }
        for transaction in transactions { hear(transaction) }
        crashInjector.pass(.noticed)
    }

    private func hear(_ transaction: SKPaymentTransaction) {
        let stage = Model.Stage(transaction.transactionState)
        let name = eventLog.name(transaction)
        eventLog.shown(name, stage, on: device)
        if let identifier = transaction.storeIdentifier, eventLog.hasFinished(identifier, on: device) {
            eventLog.broke("device \(device) heard of \(name) after an app there had finished it")
        }
        guard var last = seen[ObjectIdentifier(transaction)] else {
            seen[ObjectIdentifier(transaction)] = Seen(transaction: transaction, stage: stage)
            return
        }
        if last.isRemoved { eventLog.broke("device \(device) heard of \(name) after it had been removed") }
        let isRepeated = last.stage == stage
        if isRepeated ? !last.mayRepeat : !isLegal(last.stage, stage) {
            let before = last.stage.map { "\($0)" } ?? "nothing"
            eventLog.broke("device \(device) heard of \(name) as \(stage) after \(before)")
        }
        last.stage = stage
        last.mayRepeat = false
        seen[ObjectIdentifier(transaction)] = last
    }

    private func isLegal(_ old: Model.Stage?, _ new: Model.Stage) -> Bool {
        switch (old, new) {
        case (nil, _), (.purchasing?, .deferred), (.purchasing?, .purchased), (.purchasing?, .failed),
            (.deferred?, .purchased), (.deferred?, .failed):
            true
        default: false
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        crashInjector.pass(.notice)
        if process.hasCrashed { return }
        for transaction in transactions {
            let key = ObjectIdentifier(transaction)
            if seen[key]?.isRemoved == true {
                eventLog.broke("device \(device) heard twice that \(eventLog.name(transaction)) was removed")
            }
            seen[key, default: Seen(transaction: transaction)].isRemoved = true
            eventLog.removed(eventLog.name(transaction), Model.Stage(transaction.transactionState), on: device)
        }
        crashInjector.pass(.noticed)
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { restoreEnded() }

    func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
        restoreEnded()
    }

    func paymentQueue(
        _ queue: SKPaymentQueue,
        shouldAddStorePayment payment: SKPayment,
        for product: SKProduct
    ) -> Bool {
        crashInjector.pass(.notice)
        if process.hasCrashed { return false }
        guard let tag = PaymentTag.number(in: payment.applicationUsername),
            let offered = SimulatedOperation.Product(rawValue: product.productIdentifier)
        else {
            eventLog.broke("device \(device) is asked about a payment that nobody began")
            return false
        }
        eventLog.offered(tag, offered, on: device)
        if eventLog.takesPromotions[device] { return true }
        tasks.wasOffered(offered)
        kept.append(payment)
        return false
    }

    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        crashInjector.pass(.notice)
        if process.hasCrashed { return }
        for product in productIdentifiers.compactMap({ SimulatedOperation.Product(rawValue: $0) }) {
            eventLog.revoked(product, on: device)
        }
        crashInjector.pass(.noticed)
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
        crashInjector.pass(.notice)
        if process.hasCrashed { return }
        for download in downloads { self.downloads.hear(download) }
        crashInjector.pass(.noticed)
    }

    func newProbe(order: [String]? = nil) -> RequestProbe {
        let probe = RequestProbe(device, process, crashInjector, eventLog, order: order)
        probes.append(probe)
        return probe
    }

    /// Closes the requests when nothing is in flight: all of them are over.
    ///
    /// - Returns: the violation, if any.
    func closeProbes() -> String? {
        defer { probes = [] }
        return probes.lazy.compactMap(\.violation).first
    }

    private func restoreEnded() {
        crashInjector.pass(.notice)
        if !process.hasCrashed { eventLog.restoreEnded(on: device) }
    }
}
