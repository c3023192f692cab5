import Foundation
import StoreCore

/// The sandbox as if it were behind a network: what it says comes from tasks.
struct SandboxOnTasks: AsyncStoreBackend, AvailabilityService, AsyncStorefrontService, AsyncReceiptService,
    AsyncContentService, AsyncPromotionService, AsyncHistoryService
{
    let store: SandboxStore

    var clock: any StoreClock { store.clock }

    func sells(_ productIdentifier: String) -> Bool? { store.sells(productIdentifier) }
    func receipt(forTransaction identifier: String) -> Data? { store.receipt(forTransaction: identifier) }

    var storefront: StoreStorefront? { store.storefront }
    var promotionOverrides: PromotionOverrides { store.promotionOverrides }

    func acknowledge(through cursor: UpdateCursor) async {
        await Task.yield()
        store.acknowledge(through: cursor)
    }

    func content(_ request: ContentRequest) async throws -> Data {
        try await answer { store.fetchContent(request, reply: $0) }
    }

    func changePromotion(_ change: PromotionChange) async throws {
        try await answer { reply in
            store.changePromotion(change) { reply($0.map { .failure($0) } ?? .success(())) }
        }
    }

    func submit(_ commands: [StoreCommand]) async throws {
        await Task.yield()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            store.submit(commands) { reply in
                switch reply {
                case .taken: continuation.resume()
                case .tryLater(let failure): continuation.resume(throwing: failure)
                case .refused(let commands): continuation.resume(throwing: RefusedCommandsError(commands))
                }
            }
        }
    }

    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {
        let mailbox = Mailbox(journal: feed.journal, store.clock.activity)
        store.connect(mailbox, after: cursor)
        defer { store.disconnect(mailbox) }
        for try await (batch, work) in mailbox.batches {
            feed.send(batch)
            work.end()
        }
    }

    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer {
        try await answer { store.products(identifiers, reply: $0) }
    }

    func transactions(_ query: HistoryQuery) async throws -> HistoryPage {
        try await answer { store.transactions(query, reply: $0) }
    }

    func subscriptions(_ query: SubscriptionQuery) async throws -> [SignedSubscription] {
        try await answer { store.subscriptions(query, reply: $0) }
    }

    func appTransaction() async throws -> SignedValue<AppTransactionPayload> {
        try await answer { store.appTransaction(reply: $0) }
    }

    func isEligibleForIntroductoryOffer(inGroup group: String) async throws -> Bool {
        try await answer { store.isEligibleForIntroductoryOffer(inGroup: group, reply: $0) }
    }

    func follow(_ listener: any HistoryListener) { store.follow(listener) }

    private func answer<Answer: Sendable>(
        _ ask: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) async throws -> Answer {
        await Task.yield()
        return try await withCheckedThrowingContinuation { continuation in
            ask { continuation.resume(with: $0) }
        }
    }
}

/// Keeps what the sandbox sends for a task, and reports it as under way until it is passed on.
private final class Mailbox: StoreUpdateReceiver {
    typealias InFlightMessage = (UpdateBatch, Activity.Work)

    let journal: JournalID
    let batches: AsyncThrowingStream<InFlightMessage, any Error>
    private let input: AsyncThrowingStream<InFlightMessage, any Error>.Continuation
    private let activity: Activity

    init(journal: JournalID, _ activity: Activity) {
        self.journal = journal
        self.activity = activity
        (batches, input) = AsyncThrowingStream.makeStream()
    }

    func receive(_ batch: UpdateBatch) {
        let work = activity.begin()
        if case .terminated = input.yield((batch, work)) { work.end() }
    }

    func connectionLost(_ failure: StoreFailure) { input.finish(throwing: failure) }
}
