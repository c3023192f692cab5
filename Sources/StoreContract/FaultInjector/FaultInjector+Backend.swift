import Foundation
import StoreCore

extension FaultInjector: StoreBackend {
    /// The store's clock.
    public var clock: any StoreClock { backend.clock }
    /// The store's lane.
    public var lane: BackendLane { backend.lane }
    /// The store's value, which no fault changes.
    public var canMakePayments: Bool { backend.canMakePayments }
    /// The store's value, if the read passes at ``Point/storefrontRead``; else nil.
    public var storefront: StoreStorefront? {
        perform { $0.read(.storefrontRead, &$1) } ? backend.storefront : nil
    }

    /// Returns the store's answer, which no fault changes.
    public func sells(_ productIdentifier: String) -> Bool? { backend.sells(productIdentifier) }

    /// Returns the store's answer, which no fault changes.
    public func receipt(forTransaction identifier: String) -> Data? { backend.receipt(forTransaction: identifier) }
    /// The store's receipt.
    public var appReceipt: Data? { backend.appReceipt }

    /// The store's value, which no fault changes.
    public var promotionOverrides: PromotionOverrides? { backend.promotionOverrides }

    /// Forwards the change to the store; no fault applies.
    public func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        backend.changePromotion(change, reply: reply)
    }

    /// Forwards the decision to the store; no fault applies.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        backend.decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    /// The store's value, which no fault changes.
    public var isPriceConsentPending: Bool { backend.isPriceConsentPending }
    /// Forwards to the store; no fault applies.
    public func showPriceConsent() { backend.showPriceConsent() }

    /// Submits commands, which pass at ``Point/submission``; the answer passes at ``Point/reply``.
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
        let relay = perform { state, actions in
            state.open(ObjectIdentifier(receiver), &actions) { number in
                Relay(number: number, receiver: receiver, injector: self)
            }
        }
        let attach: @Sendable () -> Void = { [self] in
            backend.connect(relay, after: cursor)
            // Broken or disconnected meanwhile, it would never be released.
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

    /// Looks products up: the request passes at ``Point/productsRequest``, the answer at ``Point/productsAnswer``.
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

    /// Refreshes the receipt: the request passes at ``Point/receiptRequest``, the answer at ``Point/receiptAnswer``.
    public func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        call(
            .receiptRequest(properties),
            reply: reply,
            failed: { $0 },
            answered: { .receiptAnswer($0) },
            ask: { [backend] in backend.refreshReceipt(properties, reply: $0) }
        )
    }

    /// Fetches content: the request passes at ``Point/downloadRequest``, the bytes at ``Point/downloadChunk``.
    public func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        call(
            .downloadRequest(request),
            reply: reply,
            failed: { .failure($0) },
            answered: { .downloadChunk($0, to: request) },
            ask: { [backend] in backend.fetchContent(request, reply: $0) }
        )
    }

    /// Forwards to the store; no fault applies: results of the sheet come with the updates.
    public func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        backend.presentCodeRedemptionSheet(reply: reply)
    }

    private func call<Answer: Sendable>(
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
