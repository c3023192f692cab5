import Foundation
import StoreContract
import StoreCore

/// A backend with somebody in between who answers in the store's place what apps ask.
final class RequestInterceptor: ForwardingBackend, StorefrontService, ReceiptService, PromotionService {
    typealias Products = Result<ProductsAnswer, StoreFailure>

    let backend: any StoreBackend

    /// What is said of products in place of an answer, and how often; counts the look-ups from 1.
    private let describe: @Sendable (_ number: Int, Products) -> [Products]
    private let lookUps = Locked(0)
    /// What is said of receipts; nil for what the store says.
    private let refresh: StoreFailure??
    /// Which country apps read; nil for the store's.
    private let country: String?
    /// What is made of what apps change on the store's page, nil for nothing.
    private let change: @Sendable (PromotionChange) -> PromotionChange?
    /// What apps read of what they have changed.
    private let read: @Sendable (PromotionOverrides) -> PromotionOverrides

    init(
        _ backend: any StoreBackend,
        describe: @escaping @Sendable (_ number: Int, Products) -> [Products] = { [$1] },
        refresh: StoreFailure?? = nil,
        country: String? = nil,
        change: @escaping @Sendable (PromotionChange) -> PromotionChange? = { $0 },
        read: @escaping @Sendable (PromotionOverrides) -> PromotionOverrides = { $0 }
    ) {
        self.backend = backend
        self.describe = describe
        self.refresh = refresh
        self.country = country
        self.change = change
        self.read = read
    }

    var services: StoreServices {
        var services = backend.services
        services.storefront = self
        services.receipts = self
        services.promotions = self
        return services
    }

    var storefront: StoreStorefront? {
        country.map { StoreStorefront(countryCode: $0, identifier: "") } ?? backend.services.storefront?.storefront
    }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        backend.services.storefront?
            .decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    var appReceipt: Data? { backend.services.receipts?.appReceipt }

    func receipt(forTransaction identifier: String) -> Data? {
        backend.services.receipts?.receipt(forTransaction: identifier)
    }

    func products(_ identifiers: Set<String>, reply: @escaping @Sendable (Products) -> Void) {
        let number = lookUps.withLock { count in
            count += 1
            return count
        }
        backend.products(identifiers) { [describe] answer in for answer in describe(number, answer) { reply(answer) } }
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        if let refresh { return reply(refresh) }
        backend.services.receipts?.refreshReceipt(properties, reply: reply)
    }

    var promotionOverrides: PromotionOverrides {
        read(backend.services.promotions?.promotionOverrides ?? PromotionOverrides())
    }

    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        guard let change = self.change(change) else { return reply(nil) }
        backend.services.promotions?.changePromotion(change, reply: reply)
    }
}
