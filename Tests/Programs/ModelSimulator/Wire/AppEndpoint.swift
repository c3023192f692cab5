import Foundation
import StoreCore

/// The app's end of the wire: nothing that a crashed app sends arrives.
class AppEndpoint: LaneProvider, StorefrontService, ReceiptService, ContentService, PromotionService,
    OfferCodeService, @unchecked Sendable  // unchecked: a run uses one thread
{
    let device: Int
    let wire: any StoreBackend
    private let stepLane: OperationLane?
    let process: ProcessState
    let crashInjector: CrashInjector
    let payments: PaymentTracker
    private let requests: RequestTracker
    private var receivers: [any StoreUpdateReceiver] = []

    init(
        _ device: Int,
        _ wire: any StoreBackend,
        _ process: ProcessState,
        _ crashInjector: CrashInjector,
        _ payments: PaymentTracker,
        _ requests: RequestTracker,
        lane: OperationLane?
    ) {
        stepLane = lane
        self.requests = requests
        self.device = device
        self.wire = wire
        self.process = process
        self.crashInjector = crashInjector
        self.payments = payments
    }

    var clock: any StoreClock { wire.clock }
    var lane: BackendLane { stepLane == nil ? .caller : .background }
    var services: StoreServices { StoreServices(implementedBy: self).intersection(wire.services) }
    var laneExecutor: any LaneExecutor {
        guard let stepLane else { fatalError("an app that works on the caller's thread has no lane") }
        return stepLane
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        crashInjector.pass()
        if process.hasCrashed { return }
        payments.sent(commands, from: device)
        wire.submit(commands) { [process, crashInjector, payments] answer in
            crashInjector.pass()
            if process.hasCrashed { return }
            payments.answered(answer, to: commands)
            reply(answer)
        }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        crashInjector.pass()
        if process.hasCrashed { return }
        receivers.append(receiver)
        wire.connect(receiver, after: cursor)
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        if process.hasCrashed { return }
        receivers.removeAll { $0 === receiver }
        wire.disconnect(receiver)
    }

    func acknowledge(through cursor: UpdateCursor) {
        crashInjector.pass()
        if !process.hasCrashed { wire.acknowledge(through: cursor) }
    }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        crashInjector.pass()
        if process.hasCrashed { return }
        wire.services.storefront?
            .decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    func presentCodeRedemptionSheet(reply: @escaping @Sendable (Result<String?, StoreFailure>) -> Void) {
        crashInjector.pass()
        if !process.hasCrashed { wire.services.codes?.presentCodeRedemptionSheet(reply: reply) }
    }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        crashInjector.pass()
        if process.hasCrashed { return }
        let trackedRequest = requests.begin(.products)
        wire.products(trackedRequest.mark(identifiers)) { [process, crashInjector, requests] answer in
            requests.hear(.init(answer), of: trackedRequest)
            crashInjector.pass()
            if !process.hasCrashed { reply(answer) }
        }
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        crashInjector.pass()
        if process.hasCrashed { return }
        let trackedRequest = requests.begin(.receipt(.init(properties)))
        wire.services.receipts?.refreshReceipt(properties) { [process, crashInjector, requests] failure in
            requests.hear(.init(failure), of: trackedRequest)
            crashInjector.pass()
            if !process.hasCrashed { reply(failure) }
        }
    }

    var storefront: StoreStorefront? {
        crashInjector.pass()
        return process.hasCrashed ? nil : wire.services.storefront?.storefront
    }

    var promotionOverrides: PromotionOverrides {
        (process.hasCrashed ? nil : wire.services.promotions?.promotionOverrides) ?? PromotionOverrides()
    }

    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        crashInjector.pass()
        if process.hasCrashed { return }
        let trackedRequest = requests.begin(.promotion)
        wire.services.promotions?.changePromotion(change) { [process, crashInjector, requests] failure in
            requests.hear(.init(failure), of: trackedRequest)
            crashInjector.pass()
            if !process.hasCrashed { reply(failure) }
        }
    }

    func fetchContent(_ request: ContentRequest, reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void) {
        crashInjector.pass()
        if process.hasCrashed { return }
        wire.services.content?.fetchContent(request) { [process, crashInjector] answer in
            crashInjector.pass()
            if !process.hasCrashed { reply(answer) }
        }
    }

    /// Breaks the connections of a crashed process.
    func close() {
        for receiver in receivers { wire.disconnect(receiver) }
        receivers = []
    }
}

/// A listener of a connection that runs a function when it is rung.
final class UpdateCallback: UpdateListener, @unchecked Sendable {  // unchecked: a run uses one thread
    var onRing: () -> Void = {}

    func updatesArrived() { onRing() }
}
