import Foundation
import StoreCore

/// The app's end of the wire: nothing that a crashed app sends arrives.
class AppGate: LaneProvider, StorefrontService, ReceiptService, ContentService, PromotionService, OfferCodeService,
    @unchecked Sendable  // unchecked: a life is lived on one thread
{
    let device: Int
    private let wire: any StoreBackend
    private let stepLane: StepLane?
    let pulse: ProcessState
    let lifeline: CrashInjector
    let passages: PaymentTracker
    private let inquiries: Inquiries
    private var receivers: [any StoreUpdateReceiver] = []

    init(
        _ device: Int,
        _ wire: any StoreBackend,
        _ pulse: ProcessState,
        _ lifeline: CrashInjector,
        _ passages: PaymentTracker,
        _ inquiries: Inquiries,
        lane: StepLane?
    ) {
        stepLane = lane
        self.inquiries = inquiries
        self.device = device
        self.wire = wire
        self.pulse = pulse
        self.lifeline = lifeline
        self.passages = passages
    }

    var clock: any StoreClock { wire.clock }
    var lane: BackendLane { stepLane == nil ? .caller : .background }
    var services: StoreServices { StoreServices(implementedBy: self).intersection(wire.services) }
    var laneExecutor: any LaneExecutor {
        guard let stepLane else { fatalError("an app that works on the caller's thread has no lane") }
        return stepLane
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        lifeline.pass()
        if pulse.isDead { return }
        passages.sent(commands, from: device)
        wire.submit(commands) { [pulse, lifeline, passages] answer in
            lifeline.pass()
            if pulse.isDead { return }
            passages.answered(answer, to: commands)
            reply(answer)
        }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        lifeline.pass()
        if pulse.isDead { return }
        receivers.append(receiver)
        wire.connect(receiver, after: cursor)
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        if pulse.isDead { return }
        receivers.removeAll { $0 === receiver }
        wire.disconnect(receiver)
    }

    func acknowledge(through cursor: UpdateCursor) {
        lifeline.pass()
        if !pulse.isDead { wire.acknowledge(through: cursor) }
    }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        lifeline.pass()
        if pulse.isDead { return }
        wire.services.storefront?
            .decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        lifeline.pass()
        if !pulse.isDead { wire.services.codes?.presentCodeRedemptionSheet(reply: reply) }
    }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        lifeline.pass()
        if pulse.isDead { return }
        let inquiry = inquiries.begin(.products)
        wire.products(inquiry.mark(identifiers)) { [pulse, lifeline, inquiries] answer in
            inquiries.hear(.init(answer), of: inquiry)
            lifeline.pass()
            if !pulse.isDead { reply(answer) }
        }
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        lifeline.pass()
        if pulse.isDead { return }
        let inquiry = inquiries.begin(.receipt(.init(properties)))
        wire.services.receipts?.refreshReceipt(properties) { [pulse, lifeline, inquiries] failure in
            inquiries.hear(.init(failure), of: inquiry)
            lifeline.pass()
            if !pulse.isDead { reply(failure) }
        }
    }

    var storefront: StoreStorefront? {
        lifeline.pass()
        return pulse.isDead ? nil : wire.services.storefront?.storefront
    }

    var promotionOverrides: PromotionOverrides {
        (pulse.isDead ? nil : wire.services.promotions?.promotionOverrides) ?? PromotionOverrides()
    }

    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        lifeline.pass()
        if pulse.isDead { return }
        let inquiry = inquiries.begin(.promotion)
        wire.services.promotions?.changePromotion(change) { [pulse, lifeline, inquiries] failure in
            inquiries.hear(.init(failure), of: inquiry)
            lifeline.pass()
            if !pulse.isDead { reply(failure) }
        }
    }

    func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        lifeline.pass()
        if pulse.isDead { return }
        wire.services.content?.fetchContent(request) { [pulse, lifeline] answer in
            lifeline.pass()
            if !pulse.isDead { reply(answer) }
        }
    }

    /// Breaks the connections of a crashed process.
    func close() {
        for receiver in receivers { wire.disconnect(receiver) }
        receivers = []
    }
}
