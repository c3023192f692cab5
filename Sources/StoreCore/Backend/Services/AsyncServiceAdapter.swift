import Foundation

/// An adapter from a service with `async` functions to the same service with replies, which queues use.
final class AsyncServiceAdapter<Service: Sendable>: Sendable {
    private let service: Service
    private let clock: any StoreClock

    init(_ service: Service, _ clock: any StoreClock) {
        self.service = service
        self.clock = clock
    }

    private func run(_ body: @escaping @Sendable (Service) async -> Void) {
        clock.run { [service] in await body(service) }
    }

    private func run(
        _ reply: @escaping @Sendable (StoreFailure?) -> Void,
        _ body: @escaping @Sendable (Service) async throws -> Void
    ) {
        run { service in
            do {
                try await body(service)
                reply(nil)
            } catch {
                reply(StoreFailure(error))
            }
        }
    }
}

extension AsyncServiceAdapter {
    private func answer<Answer>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ body: @escaping @Sendable (Service) async throws -> Answer
    ) {
        run { service in
            do {
                reply(.success(try await body(service)))
            } catch {
                reply(.failure(StoreFailure(error)))
            }
        }
    }
}

extension AsyncServiceAdapter: StorefrontService where Service == any AsyncStorefrontService {
    var storefront: StoreStorefront? { service.storefront }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        run { await $0.decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue) }
    }
}

extension AsyncServiceAdapter: ReceiptService where Service == any AsyncReceiptService {
    func receipt(forTransaction identifier: String) -> Data? { service.receipt(forTransaction: identifier) }
    var appReceipt: Data? { service.appReceipt }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        run(reply) { try await $0.refreshReceipt(properties) }
    }
}

extension AsyncServiceAdapter: ContentService where Service == any AsyncContentService {
    func fetchContent(_ request: ContentRequest, reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void) {
        answer(reply) { try await $0.content(request) }
    }
}

extension AsyncServiceAdapter: PromotionService where Service == any AsyncPromotionService {
    var promotionOverrides: PromotionOverrides { service.promotionOverrides }

    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        run(reply) { try await $0.changePromotion(change) }
    }
}

extension AsyncServiceAdapter: OfferCodeService where Service == any AsyncOfferCodeService {
    func presentCodeRedemptionSheet(reply: @escaping @Sendable (Result<String?, StoreFailure>) -> Void) {
        answer(reply) { try await $0.presentCodeRedemptionSheet() }
    }
}

extension AsyncServiceAdapter: PriceConsentService where Service == any AsyncPriceConsentService {
    var isPriceConsentPending: Bool { service.isPriceConsentPending }
    func showPriceConsent() { run { await $0.showPriceConsent() } }
}

extension AsyncServiceAdapter: HistoryService where Service == any AsyncHistoryService {
    func transactions(_ query: HistoryQuery, reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void) {
        answer(reply) { try await $0.transactions(query) }
    }

    func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    ) {
        answer(reply) { try await $0.subscriptions(query) }
    }

    func appTransaction(reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void) {
        answer(reply) { try await $0.appTransaction() }
    }

    func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void) { run(reply) { try await $0.synchronize() } }

    func isEligibleForIntroductoryOffer(
        inGroup group: String,
        reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    ) {
        answer(reply) { try await $0.isEligibleForIntroductoryOffer(inGroup: group) }
    }

    func requestRefund(
        ofTransaction identifier: String,
        reply: @escaping @Sendable (Result<RefundAnswer, StoreFailure>) -> Void
    ) {
        answer(reply) { try await $0.requestRefund(ofTransaction: identifier) }
    }

    var deviceVerificationID: UUID? { service.deviceVerificationID }
    func follow(_ listener: any HistoryListener) { service.follow(listener) }
}

extension StoreClock {
    /// Runs a call to an asynchronous store in a task; settling waits until the call has returned.
    func run(_ body: @escaping @Sendable () async -> Void) {
        let work = activity.begin()
        Task {
            await body()
            work.end()
        }
    }
}
