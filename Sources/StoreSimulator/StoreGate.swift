import Foundation
import StoreCore

/// The store's end of a device's wire: the model records arrivals and updates here.
///
/// It outlives the stores. Requests of a crashed store are reported as failed when its successor opens.
class StoreGate: StoreBackend, StorefrontService, ReceiptService, ContentService, PromotionService, OfferCodeService,
    @unchecked Sendable  // unchecked: a life is lived on one thread
{
    let device: Int
    let witness: ModelDriver
    let lifeline: CrashInjector
    let clock: any StoreClock
    private var backend: any StoreBackend
    private var taps: [Tap] = []
    private var owed: [@Sendable (SubmissionReply) -> Void] = []
    /// The requests that the store has not answered, with functions that report its crash; pieces of files are no
    /// inquiries.
    private var asked: [Int: (inquiry: Inquiry?, fail: @Sendable () -> Void)] = [:]
    private var lastAsked = 0
    private let inquiries: Inquiries

    init(
        _ device: Int,
        _ backend: any StoreBackend,
        _ clock: any StoreClock,
        _ witness: ModelDriver,
        _ lifeline: CrashInjector,
        _ inquiries: Inquiries
    ) {
        self.inquiries = inquiries
        self.device = device
        self.backend = backend
        self.witness = witness
        self.lifeline = lifeline
        self.clock = clock
    }

    var lane: BackendLane { .caller }
    var services: StoreServices { StoreServices(implementedBy: self).intersection(backend.services) }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        lifeline.pass()
        if lifeline.store.isDead { return owed.append(reply) }
        witness.arrived(commands, on: device)
        backend.submit(commands) { [self] answer in
            lifeline.pass()
            if lifeline.store.isDead { return owed.append(reply) }
            witness.answered(answer, on: device)
            reply(answer)
        }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        lifeline.pass()
        let tap = Tap(receiver, device, witness, lifeline)
        disconnect(receiver)
        taps.append(tap)
        if !lifeline.store.isDead { backend.connect(tap, after: cursor) }
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        guard let index = taps.firstIndex(where: { $0.receiver === receiver }) else { return }
        let tap = taps.remove(at: index)
        if !lifeline.store.isDead { backend.disconnect(tap) }
    }

    func acknowledge(through cursor: UpdateCursor) {
        lifeline.pass()
        if !lifeline.store.isDead { backend.acknowledge(through: cursor) }
    }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        lifeline.pass()
        if lifeline.store.isDead { return }
        witness.continues(identifier, shouldContinue, on: device)
        backend.services.storefront?.decideAfterStorefrontChange(
            transaction: identifier,
            shouldContinue: shouldContinue
        )
        witness.end()
    }

    func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        lifeline.pass()
        if lifeline.store.isDead { return }
        witness.entersCode(on: device)
        backend.services.codes?.presentCodeRedemptionSheet { [self] failure in
            lifeline.pass()
            if lifeline.store.isDead { return }
            witness.enteredCode(failure, on: device)
            reply(failure)
        }
        witness.end()
    }

    /// Whether a queue is connected, as far as its store knows.
    var isConnected: Bool { taps.contains { $0.isConnected } }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        lifeline.pass()
        let (identifiers, number) = Inquiry.unmark(identifiers)
        let inquiry = inquiries.arrived(.products, number: number)
        let tell = ask(inquiry, reply) { .failure($0) }
        if lifeline.store.isDead { return }
        inquiry?.right.insert(witness.describes(identifiers, on: device))
        backend.products(identifiers, reply: tell)
    }

    /// Reads products as an app would, although none asks.
    func lookUp(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        backend.products(identifiers, reply: reply)
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        lifeline.pass()
        let kind = Step.ReceiptKind(properties)
        let inquiry = inquiries.arrived(.receipt(kind))
        let tell = ask(inquiry, reply) { $0 }
        if lifeline.store.isDead { return }
        let right = witness.refreshesReceipt(kind, on: device)
        inquiry?.right.insert(right)
        backend.services.receipts?.refreshReceipt(properties, reply: tell)
        witness.end()
    }

    var storefront: StoreStorefront? {
        lifeline.pass()
        return lifeline.store.isDead ? nil : backend.services.storefront?.storefront
    }

    var promotionOverrides: PromotionOverrides {
        backend.services.promotions?.promotionOverrides ?? PromotionOverrides()
    }

    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        lifeline.pass()
        let inquiry = inquiries.arrived(.promotion)
        let tell = ask(inquiry, reply) { $0 }
        if lifeline.store.isDead { return }
        let right = witness.changesPromotion(change, on: device)
        inquiry?.right.insert(right)
        backend.services.promotions?.changePromotion(change, reply: tell)
        witness.end()
    }

    /// Makes a request that waits for an answer.
    ///
    /// - Returns: a function that answers it; not for a store that has crashed meanwhile.
    private func ask<Answer: Sendable>(
        _ inquiry: Inquiry?,
        _ reply: @escaping @Sendable (Answer) -> Void,
        failed: @escaping @Sendable (StoreFailure) -> Answer
    ) -> @Sendable (Answer) -> Void {
        lastAsked += 1
        let number = lastAsked
        asked[number] = (inquiry, { reply(failed(.network(.networkConnectionLost, "the store went away"))) })
        return { [self] answer in
            lifeline.pass()
            if lifeline.store.isDead || asked.removeValue(forKey: number) == nil { return }
            inquiries.answering(inquiry) { reply(answer) }
        }
    }

    func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        lifeline.pass()
        let tell = ask(nil, reply) { .failure($0) }
        if !lifeline.store.isDead { backend.services.content?.fetchContent(request, reply: tell) }
    }

    var appReceipt: Data? { backend.services.receipts?.appReceipt }

    /// Replaces the crashed store with another one.
    func replace(by backend: any StoreBackend) {
        self.backend = backend
        let (lost, replies) = (taps, owed)
        let unanswered = asked.sorted { $0.key < $1.key }.map(\.value)
        asked = [:]
        taps = []
        owed = []
        for tap in lost { tap.receiver.connectionLost(.network(.networkConnectionLost, "the store went away")) }
        for reply in replies { reply(.tryLater(.network(.networkConnectionLost, "the store went away"))) }
        for (inquiry, fail) in unanswered {
            inquiry?.right.insert(.lost)
            inquiries.answering(inquiry, fail)
        }
    }

    /// The violation once everything that can happen by itself has happened, nil if there is none.
    var violation: String? { nil }

    /// Makes the store unreachable for the device, and closes its connections.
    func isCutOff() {}
}

/// A receiver that records what a store tells a queue.
private final class Tap: StoreUpdateReceiver, @unchecked Sendable {  // unchecked: a life is lived on one thread
    let receiver: any StoreUpdateReceiver
    private let device: Int
    private let witness: ModelDriver
    private let lifeline: CrashInjector
    private let pulse: ProcessState
    private(set) var isConnected = true

    init(_ receiver: any StoreUpdateReceiver, _ device: Int, _ witness: ModelDriver, _ lifeline: CrashInjector) {
        self.receiver = receiver
        self.device = device
        self.witness = witness
        self.lifeline = lifeline
        pulse = lifeline.store
    }

    var journal: JournalID { receiver.journal }

    func receive(_ batch: UpdateBatch) {
        lifeline.pass()
        if pulse.isDead { return }
        witness.told(batch.updates, on: device)
        receiver.receive(witness.numbered(batch))
    }

    func connectionLost(_ failure: StoreFailure) {
        lifeline.pass()
        if pulse.isDead { return }
        isConnected = false
        receiver.connectionLost(failure)
    }
}
