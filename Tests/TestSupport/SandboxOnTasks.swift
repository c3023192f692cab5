import Foundation
import StoreCore

/// The sandbox as if it were behind a network: a backend whose answers come from tasks.
///
/// Batches in flight count as work of the clock's activity, so that settling waits for them.
package final class SandboxOnTasks: StoreBackend {
    private let store: SandboxStore
    private let adapter: any StoreBackend
    private let connections = Locked<[ObjectIdentifier: MarkedReceiver]>([:])

    /// Creates the backend.
    ///
    /// - Parameters:
    ///   - store: the sandbox.
    ///   - knowsProducts: whether the backend says at once if it sells a product.
    package init(_ store: SandboxStore, knowsProducts: Bool = true) {
        self.store = store
        adapter = AsyncSandbox(store: store, knowsProducts: knowsProducts).asStoreBackend()
    }

    package var clock: any StoreClock { adapter.clock }
    package var lane: BackendLane { adapter.lane }
    package var services: StoreServices { adapter.services }

    package func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        adapter.submit(commands, reply: reply)
    }

    package func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        let marks = Marks(store.clock.activity)
        marks.mark()
        let marked = MarkedReceiver(receiver, marks)
        let old = connections.withLock { $0.updateValue(marked, forKey: ObjectIdentifier(receiver)) }
        old?.marks.close()
        AsyncSandbox.$marks.withValue(marks) { adapter.connect(marked, after: cursor) }
    }

    package func disconnect(_ receiver: any StoreUpdateReceiver) {
        guard let marked = connections.withLock({ $0.removeValue(forKey: ObjectIdentifier(receiver)) }) else { return }
        adapter.disconnect(marked)
        marked.marks.close()
    }

    package func acknowledge(through cursor: UpdateCursor) { adapter.acknowledge(through: cursor) }

    package func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        adapter.products(identifiers, reply: reply)
    }
}

/// An asynchronous sandbox.
///
/// Only ``SandboxOnTasks`` connects to it.
package struct AsyncSandbox: AsyncStoreBackend, AvailabilityService, AsyncStorefrontService, AsyncReceiptService,
    AsyncContentService, AsyncPromotionService, AsyncHistoryService
{
    @TaskLocal fileprivate static var marks: Marks?

    private let store: SandboxStore
    private let knowsProducts: Bool

    package init(store: SandboxStore, knowsProducts: Bool = true) {
        self.store = store
        self.knowsProducts = knowsProducts
    }

    package var clock: any StoreClock { store.clock }
    package var canMakePayments: Bool { store.canMakePayments }
    package var ageRatingCode: Int? { store.ageRatingCode }
    package var storefront: StoreStorefront? { store.storefront }
    package var promotionOverrides: PromotionOverrides { store.promotionOverrides }

    package func sells(_ productIdentifier: String) -> Bool? { knowsProducts ? store.sells(productIdentifier) : nil }
    package func receipt(forTransaction identifier: String) -> Data? { store.receipt(forTransaction: identifier) }
    package func follow(_ listener: any HistoryListener) { store.follow(listener) }

    package func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async {
        store.decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    package func submit(_ commands: [StoreCommand]) async throws {
        try await answer { (reply: @escaping @Sendable (Result<Void, any Error>) -> Void) in
            store.submit(commands) { answer in
                switch answer {
                case .taken: reply(.success(()))
                case .tryLater(let failure): reply(.failure(failure))
                case .refused(let commands): reply(.failure(RefusedCommandsError(commands)))
                }
            }
        }
        await Task.yield()
    }

    package func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {
        guard let marks = Self.marks else { fatalError("the connection was not made by SandboxOnTasks") }
        await Task.yield()
        let mailbox = Mailbox(journal: feed.journal, marks)
        store.connect(mailbox, after: cursor)
        marks.unmark()
        defer { store.disconnect(mailbox) }
        for await item in mailbox.items {
            if Task.isCancelled { return }
            // A loss stays marked until the queue has been told of it.
            feed.send(try item.get())
            marks.unmark()
        }
    }

    package func acknowledge(through cursor: UpdateCursor) async {
        await Task.yield()
        store.acknowledge(through: cursor)
    }

    package func products(_ identifiers: Set<String>) async throws -> ProductsAnswer {
        try await answer { store.products(identifiers, reply: $0) }
    }

    package func content(_ request: ContentRequest) async throws -> Data {
        try await answer { store.fetchContent(request, reply: $0) }
    }

    package func refreshReceipt(_ properties: ReceiptProperties) async throws {
        try await answer { reply in store.refreshReceipt(properties) { reply(Self.result($0)) } }
    }

    package func changePromotion(_ change: PromotionChange) async throws {
        try await answer { reply in store.changePromotion(change) { reply(Self.result($0)) } }
    }

    package func transactions(_ query: HistoryQuery) async throws -> HistoryPage {
        try await answer { store.transactions(query, reply: $0) }
    }

    package func subscriptions(_ query: SubscriptionQuery) async throws -> [SignedSubscription] {
        try await answer { store.subscriptions(query, reply: $0) }
    }

    package func appTransaction() async throws -> SignedValue<AppTransactionPayload> {
        try await answer { store.appTransaction(reply: $0) }
    }

    package func isEligibleForIntroductoryOffer(inGroup group: String) async throws -> Bool {
        try await answer { store.isEligibleForIntroductoryOffer(inGroup: group, reply: $0) }
    }

    private static func result(_ failure: StoreFailure?) -> Result<Void, StoreFailure> {
        failure.map { .failure($0) } ?? .success(())
    }

    private func answer<Answer: Sendable, Failure: Error>(
        _ ask: (@escaping @Sendable (Result<Answer, Failure>) -> Void) -> Void
    ) async throws -> Answer {
        await Task.yield()
        return try await withCheckedThrowingContinuation { continuation in
            ask { continuation.resume(with: $0) }
        }
    }
}

/// The batches in flight on one connection, as work of the clock's activity.
private final class Marks: Sendable {
    private let activity: Activity
    private let works = Locked<[Activity.Work]?>([])

    init(_ activity: Activity) { self.activity = activity }

    func mark() {
        let work = activity.begin()
        let isClosed = works.withLock { works in
            works?.append(work)
            return works == nil
        }
        if isClosed { work.end() }
    }

    func unmark() { works.withLock { $0?.popLast() }?.end() }

    /// Passes a batch on, unless the connection was closed.
    ///
    /// What is passed on at that moment is still waited for.
    func pass(_ send: () -> Void) {
        let work = activity.begin()
        if works.withLock({ $0 != nil }) { send() }
        work.end()
    }

    func close() {
        let works = works.withLock { works in
            defer { works = nil }
            return works
        }
        works?.forEach { $0.end() }
    }
}

private final class MarkedReceiver: StoreUpdateReceiver {
    private let receiver: any StoreUpdateReceiver
    let marks: Marks

    init(_ receiver: any StoreUpdateReceiver, _ marks: Marks) {
        self.receiver = receiver
        self.marks = marks
    }

    var journal: JournalID { receiver.journal }
    func receive(_ batch: UpdateBatch) { marks.pass { receiver.receive(batch) } }

    func connectionLost(_ failure: StoreFailure) {
        receiver.connectionLost(failure)
        marks.unmark()
    }
}

/// A stream of the sandbox's batches for the task that passes them on.
private final class Mailbox: StoreUpdateReceiver {
    let journal: JournalID
    let items: AsyncStream<Result<UpdateBatch, StoreFailure>>
    private let input: AsyncStream<Result<UpdateBatch, StoreFailure>>.Continuation
    private let marks: Marks

    init(journal: JournalID, _ marks: Marks) {
        self.journal = journal
        self.marks = marks
        (items, input) = AsyncStream.makeStream()
    }

    func receive(_ batch: UpdateBatch) { put(.success(batch)) }
    func connectionLost(_ failure: StoreFailure) { put(.failure(failure)) }

    private func put(_ item: Result<UpdateBatch, StoreFailure>) {
        marks.mark()
        input.yield(item)
    }
}
