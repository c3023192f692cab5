import Foundation
import StoreCore

extension FaultInjector: StoreBackend {
    /// The store's clock.
    public var clock: any StoreClock { backend.clock }
    /// The store's lane.
    public var lane: BackendLane { backend.lane }
    /// The store's services; faults affect `storefront`, `receipts` and `content` only.
    public var services: StoreServices {
        var services = backend.services
        if let storefront = services.storefront { services.storefront = FaultyStorefront(storefront, self) }
        if let receipts = services.receipts { services.receipts = FaultyReceipts(receipts, self) }
        if let content = services.content { services.content = FaultyContent(content, self) }
        return services
    }

    /// Submits commands, which pass at ``Point/submission``; the reply passes at ``Point/reply``.
    public func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        call(
            .submission(commands),
            reply: reply,
            failed: { .tryLater($0) },
            answered: { .reply($0, to: commands) },
            ask: { [backend] in backend.submit(commands, reply: $0) }
        )
    }

    /// Connects a receiver: the request passes at ``Point/connection``, the updates at ``Point/update``, and a loss at
    /// ``Point/connectionLost``.
    public func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        connect(receiver, after: cursor) { [backend] relay in backend.connect(relay, after: cursor) }
    }

    /// Connects a receiver to a source of updates other than ``backend``.
    ///
    /// - Parameters:
    ///   - receiver: the receiver.
    ///   - cursor: the position from which the receiver continues.
    ///   - source: called when the request arrives, on any thread; a repeated request arrives again. Its argument
    ///     receives the updates and their loss, which then pass at their points on the way to `receiver`.
    package func connect(
        _ receiver: any StoreUpdateReceiver,
        after cursor: UpdateCursor?,
        to source: @escaping @Sendable (any StoreUpdateReceiver) -> Void
    ) {
        let relay = perform { state, actions in
            state.open(ObjectIdentifier(receiver), &actions) { number in
                Relay(number: number, receiver: receiver, injector: self)
            }
        }
        let attach: @Sendable () -> Void = { [self] in
            source(relay)
            // Disconnects a relay that was closed while it was being connected: the store would never release it.
            if !state.withLock({ $0.isOpen(relay) }) { backend.disconnect(relay) }
        }
        cross(.connection(receiver.journal, after: cursor), relay: relay, .run(attach))
    }

    /// Disconnects at once; messages in flight to the receiver are lost.
    public func disconnect(_ receiver: any StoreUpdateReceiver) {
        perform { $0.close(ObjectIdentifier(receiver), &$1) }
    }

    /// Acknowledges updates; the acknowledgement passes at ``Point/acknowledgement``.
    public func acknowledge(through cursor: UpdateCursor) {
        cross(.acknowledgement(cursor), .run { [backend] in backend.acknowledge(through: cursor) })
    }

    /// Looks products up: the request passes at ``Point/productsRequest``, the reply at ``Point/productsAnswer``.
    public func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        call(
            .productsRequest(identifiers),
            reply: reply,
            failed: { .failure($0) },
            answered: { .productsAnswer($0, to: identifiers) },
            ask: { [backend] in backend.products(identifiers, reply: $0) }
        )
    }

    /// Calls the store; the request passes at one point, and the reply at another.
    func call<Answer: Sendable>(
        _ request: Event.Payload,
        reply: @escaping @Sendable (Answer) -> Void,
        failed: @escaping @Sendable (StoreFailure) -> Answer,
        answered: @escaping @Sendable (Answer) -> Event.Payload,
        ask: @escaping @Sendable (@escaping @Sendable (Answer) -> Void) -> Void
    ) {
        let call = state.withLock { state in
            let call = Call(id: state.takeNumber()) { reply(failed($0)) }
            state.begin(call)
            return call
        }
        let tell: @Sendable (Answer) -> Void = { answer in
            guard call.answer() else { return }
            self.perform { $0.end(call, &$1) }
            reply(answer)
        }
        let pass: @Sendable () -> Void = {
            ask { answer in
                guard call.isListening else { return }
                self.cross(answered(answer), call: call, .run { tell(answer) })
            }
        }
        cross(request, call: call, .run(pass))
    }
}

/// A store's content: requests pass at ``FaultInjector/Point/downloadRequest``, and the bytes at
/// ``FaultInjector/Point/downloadChunk``.
final class FaultyContent: ContentService {
    private let service: any ContentService
    private let injector: FaultInjector

    init(_ service: any ContentService, _ injector: FaultInjector) {
        self.service = service
        self.injector = injector
    }

    func fetchContent(_ request: ContentRequest, reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void) {
        injector.call(
            .downloadRequest(request),
            reply: reply,
            failed: { .failure($0) },
            answered: { .downloadChunk($0, to: request) },
            ask: { [service] in service.fetchContent(request, reply: $0) }
        )
    }
}

/// A store's receipts: requests to refresh them pass at ``FaultInjector/Point/receiptRequest``, and the replies at
/// ``FaultInjector/Point/receiptAnswer``.
final class FaultyReceipts: ReceiptService {
    private let service: any ReceiptService
    private let injector: FaultInjector

    init(_ service: any ReceiptService, _ injector: FaultInjector) {
        self.service = service
        self.injector = injector
    }

    func receipt(forTransaction identifier: String) -> Data? { service.receipt(forTransaction: identifier) }
    var appReceipt: Data? { service.appReceipt }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        injector.call(
            .receiptRequest(properties),
            reply: reply,
            failed: { $0 },
            answered: { .receiptAnswer($0) },
            ask: { [service] in service.refreshReceipt(properties, reply: $0) }
        )
    }
}

/// A store's storefront, whose reads pass at ``FaultInjector/Point/storefrontRead``.
final class FaultyStorefront: StorefrontService {
    private let service: any StorefrontService
    private let injector: FaultInjector

    init(_ service: any StorefrontService, _ injector: FaultInjector) {
        self.service = service
        self.injector = injector
    }

    /// The store's value if the read passes; otherwise nil.
    var storefront: StoreStorefront? { injector.perform { $0.read(.storefrontRead, &$1) } ? service.storefront : nil }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        service.decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }
}
