import Foundation
import StoreCore

/// How a service's answer is handed over.
typealias Reply<Value> = @Sendable (Result<Value, StoreFailure>) -> Void

/// Stands before a sandbox and breaks a promise.
///
/// What is not overridden is passed on.
// unchecked: subclasses guard what they keep
class SpoiltStore: StoreBackend, AvailabilityService, StorefrontService, ReceiptService, ContentService,
    PromotionService, HistoryService, @unchecked Sendable
{
    let store: SandboxStore
    private let relays = Locked<[ObjectIdentifier: Relay]>([:])

    /// Whether the store had data when this one began to stand before it.
    let isReopened: Bool

    required init(_ store: SandboxStore) {
        self.store = store
        isReopened = (try? store.transactions.isEmpty) == false
    }

    var clock: any StoreClock { store.clock }
    var lane: BackendLane { .caller }
    var canMakePayments: Bool { store.canMakePayments }
    var storefront: StoreStorefront? { store.storefront }

    /// What arrives in the place of a batch.
    func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        spoilBatch?(batch) ?? [batch]
    }
    /// The same of a fault that is no more than this.
    var spoilBatch: (@Sendable (UpdateBatch) -> [UpdateBatch])?
    /// What is done in the place of a submission, of a fault that is no more than this.
    var spoilSubmission: Submission?
    typealias Answer = @Sendable (SubmissionReply) -> Void
    typealias Submission = @Sendable (SpoiltStore, [StoreCommand], @escaping Answer) -> Void

    func deliver(_ batch: UpdateBatch, to receiver: any StoreUpdateReceiver) { receiver.receive(batch) }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        if let spoilSubmission { spoilSubmission(self, commands, reply) } else { store.submit(commands, reply: reply) }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        let relay = relays.withLock { relays in
            let relay = relays[ObjectIdentifier(receiver)] ?? Relay(receiver, self)
            relays[ObjectIdentifier(receiver)] = relay
            return relay
        }
        store.connect(relay, after: cursor)
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        let relay = relays.withLock { $0.removeValue(forKey: ObjectIdentifier(receiver)) }
        if let relay { store.disconnect(relay) }
    }

    func acknowledge(through cursor: UpdateCursor) { store.acknowledge(through: cursor) }

    func products(_ identifiers: Set<String>, reply: @escaping Reply<ProductsAnswer>) {
        store.products(identifiers, reply: reply)
    }

    func sells(_ productIdentifier: String) -> Bool? { store.sells(productIdentifier) }
    func receipt(forTransaction identifier: String) -> Data? { store.receipt(forTransaction: identifier) }

    /// What is asked in the place of a request for content, of a fault that is no more than this.
    var spoilContent: (@Sendable (inout ContentRequest) -> Void)?

    func fetchContent(_ request: ContentRequest, reply: @escaping Reply<Data>) {
        var request = request
        spoilContent?(&request)
        store.fetchContent(request, reply: reply)
    }

    var promotionOverrides: PromotionOverrides { store.promotionOverrides }

    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        store.changePromotion(change, reply: reply)
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        store.refreshReceipt(properties, reply: reply)
    }

    func transactions(_ query: HistoryQuery, reply: @escaping Reply<HistoryPage>) {
        store.transactions(query, reply: reply)
    }

    func subscriptions(_ query: SubscriptionQuery, reply: @escaping Reply<[SignedSubscription]>) {
        store.subscriptions(query, reply: reply)
    }

    func appTransaction(reply: @escaping Reply<SignedValue<AppTransactionPayload>>) {
        store.appTransaction(reply: reply)
    }

    func isEligibleForIntroductoryOffer(inGroup group: String, reply: @escaping Reply<Bool>) {
        store.isEligibleForIntroductoryOffer(inGroup: group, reply: reply)
    }

    func follow(_ listener: any HistoryListener) { store.follow(listener) }

    private final class Relay: StoreUpdateReceiver {
        private let receiver: any StoreUpdateReceiver
        private unowned let store: SpoiltStore

        init(_ receiver: any StoreUpdateReceiver, _ store: SpoiltStore) {
            self.receiver = receiver
            self.store = store
        }

        var journal: JournalID { receiver.journal }

        func receive(_ batch: UpdateBatch) {
            for batch in store.spoil(batch, for: receiver) { store.deliver(batch, to: receiver) }
        }

        func connectionLost(_ failure: StoreFailure) { receiver.connectionLost(failure) }
    }
}

extension UpdateBatch {
    var isSnapshot: Bool { after == nil || after?.part != nil }

    func replacing(_ updates: [StoreUpdate]) -> UpdateBatch {
        UpdateBatch(after: after, through: through, updates: updates)
    }

    /// The same updates, for other orders.
    func renaming(_ orders: [OrderID: OrderID]) -> UpdateBatch {
        replacing(
            updates.map { update in
                switch update {
                case .transaction(let transaction):
                    guard let order = transaction.order.flatMap({ orders[$0] }) else { return update }
                    return .transaction(transaction.with(order: order))
                case .finished(let identifier, let order?):
                    return .finished(transaction: identifier, order: orders[order] ?? order)
                case .restoreEnded(let order, let failure):
                    return .restoreEnded(orders[order] ?? order, failure: failure)
                default: return update
                }
            }
        )
    }
}

extension StoreTransaction {
    func with(
        identifier: String? = nil,
        order: OrderID?? = nil,
        payment: StorePayment? = nil,
        state: State? = nil,
        date: Date? = nil,
        failure: StoreFailure? = nil,
        original: Original?? = nil,
        content: [StoreContent]? = nil
    ) -> StoreTransaction {
        StoreTransaction(
            identifier: identifier ?? self.identifier,
            order: order ?? self.order,
            payment: payment ?? self.payment,
            state: state ?? self.state,
            date: date ?? self.date,
            failure: failure ?? self.failure,
            original: original ?? self.original,
            receipt: receipt,
            content: content ?? self.content
        )
    }
}
