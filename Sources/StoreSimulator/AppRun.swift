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

    let pulse: ProcessState
    let gate: AppGate
    /// The queue's lane; nil where it works on the caller's thread.
    let lane: StepLane?
    let downloads: DownloadWatch
    /// The context of the app's requests.
    let context: StoreContext
    let inquiries: Inquiries
    /// The requests whose end it has not reliably heard.
    private var errands: [RequestProbe] = []
    private let device: Int
    private let lifeline: CrashInjector
    private unowned let diary: EventLog
    private(set) var queue: SKPaymentQueue
    private var seen: [ObjectIdentifier: Seen] = [:]
    /// The promoted payments that were offered and not taken.
    var kept: [SKPayment] = []

    init(
        _ device: Int,
        _ wire: any StoreBackend,
        _ road: DirectWire?,
        _ disk: JournalDisk,
        _ clock: ManualClock,
        _ pauses: ManualClock,
        _ lifeline: CrashInjector,
        _ diary: EventLog,
        hasOwnLane: Bool
    ) {
        self.device = device
        lane = hasOwnLane ? StepLane() : nil
        if let lane {
            for activity in [pauses.activity, clock.activity] { activity.register(lane) }
        }
        self.lifeline = lifeline
        self.diary = diary
        downloads = DownloadWatch(device, clock, diary)
        pulse = ProcessState()
        lifeline.apps[device] = pulse
        inquiries = diary.inquiries[device]
        gate =
            road.map { [pulse, inquiries, lane] road in
                DirectAppGate(device, wire, road, pulse, lifeline, diary.passages, inquiries, lane: lane)
            } ?? AppGate(device, wire, pulse, lifeline, diary.passages, inquiries, lane: lane)
        context = StoreContext(backend: gate, clock: pauses, delivery: .inline, log: .silent)
        queue = SKPaymentQueue(
            backend: gate,
            journal: KeptJournal(disk, pulse, lifeline, diary),
            clock: pauses,
            delivery: .inline,
            log: .silent
        )
        super.init()
        queue.delegate = self
    }

    func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool {
        lifeline.pass(.notice)
        return diary.continues
    }

    func observe() {
        for key in seen.keys { seen[key]?.mayRepeat = true }
        downloads.lookUp()
        queue.add(self)
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        lifeline.pass(.notice)
        if pulse.isDead { return }
        for transaction in transactions { hear(transaction) }
        lifeline.pass(.noticed)
    }

    private func hear(_ transaction: SKPaymentTransaction) {
        let stage = Model.Stage(transaction.transactionState)
        let name = diary.name(transaction)
        diary.shown(name, stage, on: device)
        guard var last = seen[ObjectIdentifier(transaction)] else {
            seen[ObjectIdentifier(transaction)] = Seen(transaction: transaction, stage: stage)
            return
        }
        if last.isRemoved { diary.broke("device \(device) heard of \(name) after it had been removed") }
        let isRepeated = last.stage == stage
        if isRepeated ? !last.mayRepeat : !isLegal(last.stage, stage) {
            let before = last.stage.map { "\($0)" } ?? "nothing"
            diary.broke("device \(device) heard of \(name) as \(stage) after \(before)")
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
        lifeline.pass(.notice)
        if pulse.isDead { return }
        for transaction in transactions {
            let key = ObjectIdentifier(transaction)
            if seen[key]?.isRemoved == true {
                diary.broke("device \(device) heard twice that \(diary.name(transaction)) was removed")
            }
            seen[key, default: Seen(transaction: transaction)].isRemoved = true
            diary.removed(diary.name(transaction), Model.Stage(transaction.transactionState), on: device)
        }
        lifeline.pass(.noticed)
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
        lifeline.pass(.notice)
        if pulse.isDead { return false }
        guard let tag = payment.applicationUsername.flatMap({ Int($0) }),
            let offered = Step.Product(rawValue: product.productIdentifier)
        else {
            diary.broke("device \(device) is asked about a payment that nobody began")
            return false
        }
        diary.offered(tag, offered, on: device)
        if diary.takesPromotions[device] { return true }
        kept.append(payment)
        return false
    }

    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        lifeline.pass(.notice)
        if pulse.isDead { return }
        for product in productIdentifiers.compactMap({ Step.Product(rawValue: $0) }) {
            diary.revoked(product, on: device)
        }
        lifeline.pass(.noticed)
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
        lifeline.pass(.notice)
        if pulse.isDead { return }
        for download in downloads { self.downloads.hear(download) }
        lifeline.pass(.noticed)
    }

    func newErrand(order: [String]? = nil) -> RequestProbe {
        let errand = RequestProbe(device, pulse, lifeline, diary, order: order)
        errands.append(errand)
        return errand
    }

    /// Closes the requests when nothing is in flight: all of them are over.
    ///
    /// - Returns: the violation, if any.
    func closeErrands() -> String? {
        defer { errands = [] }
        return errands.lazy.compactMap(\.violation).first
    }

    private func restoreEnded() {
        lifeline.pass(.notice)
        if !pulse.isDead { diary.restoreEnded(on: device) }
    }
}

/// The name of a transaction in every launch: a payment's number, or the store's name for what no app ordered.
enum TransactionName: Hashable, CustomStringConvertible {
    case payment(Int)
    case transaction(String)

    var description: String {
        switch self {
        case .payment(let tag): "payment \(tag)"
        case .transaction(let identifier): "transaction \(identifier)"
        }
    }
}
