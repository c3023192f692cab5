import Foundation
import StoreCore

/// The sandbox as if it were behind a network: an `AsyncStoreBackend` whose answers come from tasks.
///
/// What is on its way is marked with its clock's activity, so that settling waits for it.
final class SandboxOnTasks: StoreBackend {
    private let store: SandboxStore
    private let adapter: any StoreBackend
    private let connections = Locked<[ObjectIdentifier: MarkedReceiver]>([:])

    init(_ store: SandboxStore) {
        self.store = store
        adapter = AsyncSandbox(store: store).asStoreBackend()
    }

    var clock: any StoreClock { adapter.clock }
    var lane: BackendLane { adapter.lane }
    var services: StoreServices { adapter.services }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        adapter.submit(commands, reply: reply)
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        let marks = Marks(store.clock.activity)
        marks.mark()
        let marked = MarkedReceiver(receiver, marks)
        let old = connections.withLock { $0.updateValue(marked, forKey: ObjectIdentifier(receiver)) }
        old?.marks.close()
        AsyncSandbox.$marks.withValue(marks) { adapter.connect(marked, after: cursor) }
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        guard let marked = connections.withLock({ $0.removeValue(forKey: ObjectIdentifier(receiver)) }) else { return }
        adapter.disconnect(marked)
        marked.marks.close()
    }

    func acknowledge(through cursor: UpdateCursor) { adapter.acknowledge(through: cursor) }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        adapter.products(identifiers, reply: reply)
    }
}

private struct AsyncSandbox: AsyncStoreBackend, AvailabilityService, AsyncStorefrontService, AsyncReceiptService,
    AsyncContentService, AsyncPromotionService
{
    @TaskLocal static var marks: Marks?

    let store: SandboxStore

    var clock: any StoreClock { store.clock }
    var canMakePayments: Bool { store.canMakePayments }
    var storefront: StoreStorefront? { store.storefront }

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
        await Task.yield()
    }

    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {
        guard let marks = Self.marks else { fatalError("the connection was not made by SandboxOnTasks") }
        await Task.yield()
        let mailbox = Mailbox(journal: feed.journal, marks)
        store.connect(mailbox, after: cursor)
        marks.unmark()
        defer { store.disconnect(mailbox) }
        try await withTaskCancellationHandler {
            while let item = await mailbox.next() {
                // A loss stays marked until the queue has been told of it.
                feed.send(try item.get())
                marks.unmark()
            }
        } onCancel: {
            mailbox.close()
        }
    }

    func acknowledge(through cursor: UpdateCursor) async { store.acknowledge(through: cursor) }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async {
        store.decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    var promotionOverrides: PromotionOverrides { store.promotionOverrides }

    func changePromotion(_ change: PromotionChange) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            store.changePromotion(change) { failure in
                if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
            }
        }
    }

    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer {
        await Task.yield()
        return try await withCheckedThrowingContinuation { continuation in
            store.products(identifiers) { continuation.resume(with: $0) }
        }
    }

    func content(_ request: ContentRequest) async throws -> Data {
        await Task.yield()
        return try await withCheckedThrowingContinuation { continuation in
            store.fetchContent(request) { continuation.resume(with: $0) }
        }
    }

    func refreshReceipt(_ properties: ReceiptProperties) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            store.refreshReceipt(properties) { failure in
                if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
            }
        }
    }
}

/// What is on its way on one connection.
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
    func receive(_ batch: UpdateBatch) { receiver.receive(batch) }

    func connectionLost(_ failure: StoreFailure) {
        receiver.connectionLost(failure)
        marks.unmark()
    }
}

/// Hands what the sandbox sends to the task that passes it on.
private final class Mailbox: StoreUpdateReceiver {
    private struct State {
        var items: [Result<UpdateBatch, StoreFailure>] = []
        var waiter: CheckedContinuation<Void, Never>?
        var isClosed = false

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    let journal: JournalID
    private let marks: Marks
    private let state = Locked(State())

    init(journal: JournalID, _ marks: Marks) {
        self.journal = journal
        self.marks = marks
    }

    func receive(_ batch: UpdateBatch) { put(.success(batch)) }
    func connectionLost(_ failure: StoreFailure) { put(.failure(failure)) }

    private func put(_ item: Result<UpdateBatch, StoreFailure>) {
        marks.mark()
        let waiter = state.withLock { state in
            state.items.append(item)
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    func close() {
        let waiter = state.withLock { state in
            state.isClosed = true
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// The next item; nil once closed.
    func next() async -> Result<UpdateBatch, StoreFailure>? {
        while true {
            let (item, isClosed) = state.withLock { state in
                (state.isClosed || state.items.isEmpty ? nil : state.items.removeFirst(), state.isClosed)
            }
            if isClosed { return nil }
            if let item { return item }
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.items.isEmpty, !state.isClosed else { return false }
                    state.waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        }
    }
}
