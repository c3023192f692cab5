/// The optional services of a store, each nil where the store does not offer it.
///
/// A store offers a service by conforming to its protocol, as in `final class Shop: StoreBackend, ReceiptService`.
///
/// A backend that wraps another one returns the other's ``StoreBackend/services`` in one line, after replacing those that
/// it observes or changes.
public struct StoreServices: Sendable {
    /// Whether the user may pay, and which products are sold.
    public var availability: (any AvailabilityService)?
    /// The country that the store sells for.
    public var storefront: (any StorefrontService)?
    /// Receipts of transactions and of the app.
    public var receipts: (any ReceiptService)?
    /// Files that the store hosts.
    public var content: (any ContentService)?
    /// The app's changes to how the store promotes products.
    public var promotions: (any PromotionService)?
    /// The sheet for offer codes.
    public var codes: (any OfferCodeService)?
    /// Requests for consent to a higher price.
    public var consent: (any PriceConsentService)?
    /// What the account has bought, for Store Kit 2.
    public var history: (any HistoryService)?

    /// Creates a value without services.
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
    }

    /// Creates the services whose protocols a store conforms to, in either form.
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
    }
}
