import Foundation
import StoreCore

/// The store's end of a device's wire: the model records arrivals and updates here.
///
/// It outlives the stores. Requests of a crashed store are reported as failed when its successor opens.
class StoreEndpoint: StoreBackend, StorefrontService, ReceiptService, ContentService, PromotionService,
    OfferCodeService, @unchecked Sendable  // unchecked: a run uses one thread
{
    let device: Int
    let modelDriver: ModelDriver
    let crashInjector: CrashInjector
    let clock: any StoreClock
    private(set) var backend: any StoreBackend
    private var recorders: [RecordingReceiver] = []
    private var owed: [@Sendable (SubmissionReply) -> Void] = []
    /// The requests that the store has not answered, with functions that report its crash; nil for pieces of
    /// files, which nothing tracks.
    private var asked: [Int: (trackedRequest: TrackedRequest?, fail: @Sendable () -> Void)] = [:]
    private var lastAsked = 0
    private let requests: RequestTracker
    /// Who follows the store's history.
    var followers: [HistoryFollower] = []

    init(
        _ device: Int,
        _ backend: any StoreBackend,
        _ clock: any StoreClock,
        _ modelDriver: ModelDriver,
        _ crashInjector: CrashInjector,
        _ requests: RequestTracker
    ) {
        self.requests = requests
        self.device = device
        self.backend = backend
        self.modelDriver = modelDriver
        self.crashInjector = crashInjector
        self.clock = clock
    }

    var lane: BackendLane { .caller }
    var services: StoreServices { StoreServices(implementedBy: self).intersection(backend.services) }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        crashInjector.pass()
        if crashInjector.store.hasCrashed { return owed.append(reply) }
        modelDriver.arrived(commands, on: device)
        backend.submit(commands) { [self] answer in
            crashInjector.pass()
            if crashInjector.store.hasCrashed { return owed.append(reply) }
            modelDriver.answered(answer, on: device)
            reply(answer)
        }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        crashInjector.pass()
        let recorder = RecordingReceiver(receiver, device, modelDriver, crashInjector)
        disconnect(receiver)
        recorders.append(recorder)
        if !crashInjector.store.hasCrashed { backend.connect(recorder, after: cursor) }
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        guard let index = recorders.firstIndex(where: { $0.receiver === receiver }) else { return }
        let recorder = recorders.remove(at: index)
        if !crashInjector.store.hasCrashed { backend.disconnect(recorder) }
    }

    func acknowledge(through cursor: UpdateCursor) {
        crashInjector.pass()
        if !crashInjector.store.hasCrashed { backend.acknowledge(through: cursor) }
    }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        crashInjector.pass()
        if crashInjector.store.hasCrashed { return }
        modelDriver.continues(identifier, shouldContinue, on: device)
        backend.services.storefront?
            .decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
        modelDriver.end()
    }

    func presentCodeRedemptionSheet(reply: @escaping @Sendable (Result<String?, StoreFailure>) -> Void) {
        crashInjector.pass()
        if crashInjector.store.hasCrashed { return }
        modelDriver.entersCode(on: device)
        backend.services.codes?.presentCodeRedemptionSheet { [self] result in
            crashInjector.pass()
            if crashInjector.store.hasCrashed { return }
            let failure: StoreFailure? = if case .failure(let failure) = result { failure } else { nil }
            modelDriver.enteredCode(failure, on: device)
            reply(result)
        }
        modelDriver.end()
    }

    /// Whether a queue is connected, as far as its store knows.
    var isConnected: Bool { recorders.contains { $0.isConnected } }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        crashInjector.pass()
        let (identifiers, number) = TrackedRequest.unmark(identifiers)
        let trackedRequest = requests.arrived(.products, number: number)
        let tell = ask(trackedRequest, reply) { .failure($0) }
        if crashInjector.store.hasCrashed { return }
        trackedRequest?.right.insert(modelDriver.describes(identifiers, on: device))
        backend.products(identifiers, reply: tell)
    }

    /// Reads products as an app would, although none asks.
    func lookUp(_ identifiers: Set<String>, reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void) {
        backend.products(identifiers, reply: reply)
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        crashInjector.pass()
        let kind = SimulatedOperation.ReceiptKind(properties)
        let trackedRequest = requests.arrived(.receipt(kind))
        let tell = ask(trackedRequest, reply) { $0 }
        if crashInjector.store.hasCrashed { return }
        let right = modelDriver.refreshesReceipt(kind, on: device)
        trackedRequest?.right.insert(right)
        backend.services.receipts?.refreshReceipt(properties, reply: tell)
        modelDriver.end()
    }

    var storefront: StoreStorefront? {
        crashInjector.pass()
        return crashInjector.store.hasCrashed ? nil : backend.services.storefront?.storefront
    }

    var promotionOverrides: PromotionOverrides {
        backend.services.promotions?.promotionOverrides ?? PromotionOverrides()
    }

    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        crashInjector.pass()
        let trackedRequest = requests.arrived(.promotion)
        let tell = ask(trackedRequest, reply) { $0 }
        if crashInjector.store.hasCrashed { return }
        let right = modelDriver.changesPromotion(change, on: device)
        trackedRequest?.right.insert(right)
        backend.services.promotions?.changePromotion(change, reply: tell)
        modelDriver.end()
    }

    /// Makes a request that waits for an answer.
    ///
    /// - Returns: a function that answers it; not for a store that has crashed meanwhile.
    private func ask<Answer: Sendable>(
        _ trackedRequest: TrackedRequest?,
        _ reply: @escaping @Sendable (Answer) -> Void,
        failed: @escaping @Sendable (StoreFailure) -> Answer
    ) -> @Sendable (Answer) -> Void {
        lastAsked += 1
        let number = lastAsked
        asked[number] = (trackedRequest, { reply(failed(.network(.networkConnectionLost, "the store went away"))) })
        return { [self] answer in
            crashInjector.pass()
            if crashInjector.store.hasCrashed || asked.removeValue(forKey: number) == nil { return }
            requests.answering(trackedRequest) { reply(answer) }
        }
    }

    func fetchContent(_ request: ContentRequest, reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void) {
        crashInjector.pass()
        let tell = ask(nil, reply) { .failure($0) }
        if !crashInjector.store.hasCrashed { backend.services.content?.fetchContent(request, reply: tell) }
    }

    var appReceipt: Data? { backend.services.receipts?.appReceipt }

    /// Replaces the crashed store with another one.
    func replace(by backend: any StoreBackend) {
        self.backend = backend
        let (lost, replies) = (recorders, owed)
        let unanswered = asked.sorted { $0.key < $1.key }.map(\.value)
        asked = [:]
        recorders = []
        owed = []
        for recorder in lost {
            recorder.receiver.connectionLost(.network(.networkConnectionLost, "the store went away"))
        }
        for reply in replies { reply(.tryLater(.network(.networkConnectionLost, "the store went away"))) }
        for (trackedRequest, fail) in unanswered {
            trackedRequest?.right.insert(.lost)
            requests.answering(trackedRequest, fail)
        }
        followAgain()
    }

    /// The violation once everything that can happen by itself has happened, nil if there is none.
    var violation: String? { nil }

    /// Makes the store unreachable for the device, and closes its connections.
    func isCutOff() {}
}

/// A receiver that records what a store tells a queue.
private final class RecordingReceiver: StoreUpdateReceiver, @unchecked Sendable {  // unchecked: a run uses one thread
    let receiver: any StoreUpdateReceiver
    private let device: Int
    private let modelDriver: ModelDriver
    private let crashInjector: CrashInjector
    private let process: ProcessState
    private(set) var isConnected = true

    init(_ receiver: any StoreUpdateReceiver, _ device: Int, _ modelDriver: ModelDriver, _ crashInjector: CrashInjector)
    {
        self.receiver = receiver
        self.device = device
        self.modelDriver = modelDriver
        self.crashInjector = crashInjector
        process = crashInjector.store
    }

    var journal: JournalID { receiver.journal }

    func receive(_ batch: UpdateBatch) {
        crashInjector.pass()
        if process.hasCrashed { return }
        modelDriver.told(batch.updates, on: device)
        receiver.receive(modelDriver.numbered(batch))
    }

    func connectionLost(_ failure: StoreFailure) {
        crashInjector.pass()
        if process.hasCrashed { return }
        isConnected = false
        receiver.connectionLost(failure)
    }
}
