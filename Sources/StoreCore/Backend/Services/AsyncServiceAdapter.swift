import Foundation

/// An adapter from one service of an asynchronous store to the service that queues use.
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

extension StoreClock {
    /// Runs a call to an asynchronous store in a task, for which settling waits.
    func run(_ body: @escaping @Sendable () async -> Void) {
        let work = activity.begin()
        Task {
            await body()
            work.end()
        }
    }
}

extension StoreServices {
    /// Creates the services whose asynchronous protocols a store conforms to, and ``AvailabilityService``.
    init(implementedBy store: any AsyncStoreBackend) {
        let clock = store.clock
        availability = store as? any AvailabilityService
        storefront = (store as? any AsyncStorefrontService).map { AsyncServiceAdapter($0, clock) }
        receipts = (store as? any AsyncReceiptService).map { AsyncServiceAdapter($0, clock) }
        content = (store as? any AsyncContentService).map { AsyncServiceAdapter($0, clock) }
        promotions = (store as? any AsyncPromotionService).map { AsyncServiceAdapter($0, clock) }
        codes = (store as? any AsyncOfferCodeService).map { AsyncServiceAdapter($0, clock) }
        consent = (store as? any AsyncPriceConsentService).map { AsyncServiceAdapter($0, clock) }
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
        run { service in
            do {
                reply(.success(try await service.content(request)))
            } catch {
                reply(.failure(StoreFailure(error)))
            }
        }
    }
}

extension AsyncServiceAdapter: PromotionService where Service == any AsyncPromotionService {
    var promotionOverrides: PromotionOverrides { service.promotionOverrides }

    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        run(reply) { try await $0.changePromotion(change) }
    }
}

extension AsyncServiceAdapter: OfferCodeService where Service == any AsyncOfferCodeService {
    func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        run(reply) { try await $0.presentCodeRedemptionSheet() }
    }
}

extension AsyncServiceAdapter: PriceConsentService where Service == any AsyncPriceConsentService {
    var isPriceConsentPending: Bool { service.isPriceConsentPending }
    func showPriceConsent() { run { await $0.showPriceConsent() } }
}
