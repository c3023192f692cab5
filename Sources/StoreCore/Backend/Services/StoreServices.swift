/// The optional services of a store; a service that the store does not offer is nil.
///
/// A store offers a service by conforming to its protocol, as in `final class Shop: StoreBackend, ReceiptService`.
///
/// A backend that wraps another returns the other's ``StoreBackend/services``, some of which it may replace.
public struct StoreServices: Sendable {
    /// The service that reports whether the user may pay, which products are sold, and the app's age rating.
    public var availability: (any AvailabilityService)?
    /// The service that reports the country in which the store sells.
    public var storefront: (any StorefrontService)?
    /// The service that issues receipts of transactions and of the app.
    public var receipts: (any ReceiptService)?
    /// The service that sends files that the store hosts.
    public var content: (any ContentService)?
    /// The service that saves the app's changes to the promotion of products.
    public var promotions: (any PromotionService)?
    /// The service that shows the sheet for offer codes.
    public var codes: (any OfferCodeService)?
    /// The service that asks users for consent to a price increase.
    public var consent: (any PriceConsentService)?
    /// The service that reports the account's purchases, for Store Kit 2.
    public var history: (any HistoryService)?
    /// The service that answers an app that sells outside of the store.
    package var external: (any ExternalPurchaseService)?
    /// The service that reports the quirks of a store in this process.
    package var quirks: (any QuirkService)?

    /// Creates a value in which every service is nil.
    public init() {}

    /// Creates the services whose protocols a store conforms to.
    public init(implementedBy store: any StoreBackend) {
        availability = store as? any AvailabilityService
        storefront = store as? any StorefrontService
        receipts = store as? any ReceiptService
        content = store as? any ContentService
        promotions = store as? any PromotionService
        codes = store as? any OfferCodeService
        consent = store as? any PriceConsentService
        history = store as? any HistoryService
        external = store as? any ExternalPurchaseService
    }

    /// Creates the services whose protocols a store conforms to, asynchronous or not.
    init(implementedBy store: any AsyncStoreBackend) {
        let clock = store.clock
        availability = store as? any AvailabilityService
        storefront =
            (store as? any AsyncStorefrontService).map { AsyncServiceAdapter($0, clock) }
            ?? (store as? any StorefrontService)
        receipts =
            (store as? any AsyncReceiptService).map { AsyncServiceAdapter($0, clock) } ?? (store as? any ReceiptService)
        content =
            (store as? any AsyncContentService).map { AsyncServiceAdapter($0, clock) } ?? (store as? any ContentService)
        promotions =
            (store as? any AsyncPromotionService).map { AsyncServiceAdapter($0, clock) }
            ?? (store as? any PromotionService)
        codes =
            (store as? any AsyncOfferCodeService).map { AsyncServiceAdapter($0, clock) }
            ?? (store as? any OfferCodeService)
        consent =
            (store as? any AsyncPriceConsentService).map { AsyncServiceAdapter($0, clock) }
            ?? (store as? any PriceConsentService)
        history =
            (store as? any AsyncHistoryService).map { AsyncServiceAdapter($0, clock) } ?? (store as? any HistoryService)
        external = store as? any ExternalPurchaseService
    }
}
