import Foundation
import StoreCore

/// A product that the app sells, as its store describes it to this user.
///
/// Load products with ``products(for:)`` and buy one with ``purchase(options:)``. A product is a value: later changes
/// in the store appear in products that are loaded later.
public struct Product: Identifiable, Sendable {
    let product: StoreProduct
    private let storefront: StoreStorefront?

    /// Creates a product from a store's description of it.
    package init(_ product: StoreProduct, storefront: StoreStorefront?) {
        self.product = product
        self.storefront = storefront
    }

    /// The country of the storefront, ISO 3166-1 alpha-3; nil if the store does not report it.
    var countryCode: String? { storefront?.countryCode }

    /// The product's identifier, in the app and in the store.
    public var id: String { product.identifier }
    /// The kind of the product.
    ///
    /// If the store does not report it, a product with a period is a subscription, and any other a consumable.
    public var type: ProductType { ProductType(product) }
    /// The product's name, in the user's language; it may be empty.
    public var displayName: String { product.localizedTitle }
    /// The product's description, in the user's language; it may be empty.
    public var description: String { product.localizedDescription }
    /// The price in the storefront's currency.
    public var price: Decimal { product.price }
    /// The price as text, as it is written in the storefront.
    public var displayPrice: String { priceFormatStyle.format(price) }
    /// Whether the purchaser's family may use the product too.
    public var isFamilyShareable: Bool { product.isFamilyShareable }
    /// The terms of an auto-renewable subscription, a suite or a bundle; nil for any other product.
    public var subscription: SubscriptionInfo? {
        type.renews ? product.subscription.map { SubscriptionInfo(product, $0) } : nil
    }

    /// The style that formats prices in the product's currency and as the storefront does, like ``displayPrice``.
    public var priceFormatStyle: Decimal.FormatStyle.Currency { product.priceFormatStyle }

    /// The style that formats the units of subscription periods, as in "Month".
    ///
    /// ``subscriptionPeriodFormatStyle`` formats whole periods, as in "3 months".
    public var subscriptionPeriodUnitFormatStyle: SubscriptionPeriod.Unit.FormatStyle {
        SubscriptionPeriod.Unit.FormatStyle(locale: product.locale)
    }

    /// Loads products from the current context's store.
    ///
    /// - Parameter identifiers: the products' identifiers; a repeated one counts once.
    /// - Returns: the products in the order of their identifiers, without those that the store does not sell; none, and
    ///   no error, in a task that is canceled.
    /// - Throws: a ``StoreKitError`` if the store does not respond, or no store is set.
    public static func products<Identifiers>(for identifiers: Identifiers) async throws -> [Product]
    where Identifiers: Collection, Identifiers.Element == String {
        try await StoreKit2Driver.current.products(Array(identifiers))
    }

    /// Buys the product in the current context's store, and waits for the outcome.
    ///
    /// A task that is canceled stops waiting, with a `CancellationError`. The purchase continues, and its outcome is
    /// one of ``Transaction/updates``.
    ///
    /// - Parameter options: the terms of the purchase.
    /// - Returns: the transaction, or the reason why there is none.
    /// - Throws: a ``PurchaseError`` or a ``StoreKitError`` with the reason why the product is not sold. A store
    ///   without a history, which Store Kit 2 needs, throws before anything is charged.
    @MainActor public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
        try await order(options)
    }

    /// Buys the product like ``purchase(options:)``, on the executor that the caller prefers.
    package func order(_ options: Set<PurchaseOption>) async throws -> PurchaseResult {
        let queue = SKPaymentQueue.default()
        return try await StoreKit2Driver.of(queue).purchase(self, options, in: queue)
    }

    /// The newest transaction of the product; nil for one that was never bought, for a finished consumable, and if the
    /// store does not respond.
    ///
    /// A finished consumable is found if the app's `SKIncludeConsumableInAppPurchaseHistory` says so.
    public var latestTransaction: VerificationResult<Transaction>? { get async { await Transaction.latest(for: id) } }

    /// The transactions that entitle the user to the product now.
    public var currentEntitlements: Transaction.Transactions { Transaction.currentEntitlements(for: id) }

    /// The newest transaction that entitles the user to the product now; nil if none does, and if the store does not
    /// respond.
    @available(*, deprecated, renamed: "currentEntitlements")
    public var currentEntitlement: VerificationResult<Transaction>? {
        get async { await StoreKit2Driver.current.first(HistoryQuery(.entitlements, ofProduct: id)) }
    }
}

extension Product: Hashable, CustomDebugStringConvertible {
    /// Returns whether the store described both in the same way, for the same storefront.
    public static func == (left: Product, right: Product) -> Bool {
        left.product == right.product && left.countryCode == right.countryCode
    }
    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
    /// The product's JSON.
    public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }
}

extension StoreProduct {
    var locale: Locale { Locale(identifier: priceLocaleIdentifier) }

    var priceFormatStyle: Decimal.FormatStyle.Currency {
        Decimal.FormatStyle.Currency(code: locale.currency?.identifier ?? "USD", locale: locale)
    }
}

extension Product {
    /// The kind of a product; other values than those listed are possible.
    public struct ProductType: RawRepresentable, Equatable, Hashable, Sendable {
        /// The value in signed transactions.
        public let rawValue: String
        /// Creates a kind, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Used up, and bought again each time.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// Bought once.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// Lasts for as long as the app decides.
        public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
        /// Charged again at the end of each period.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
        /// A subscription that includes others, which are sold separately too.
        public static let subscriptionBundle = ProductType(rawValue: "Subscription Bundle")
        /// Subscriptions that are sold together only, as one subscription.
        public static let subscriptionSuite = ProductType(rawValue: "Subscription Suite")

        /// The kind in English.
        public var localizedDescription: String { rawValue }

        /// Whether the product is charged again at the end of each period.
        var renews: Bool { TransactionPayload.ProductType(rawValue: rawValue).renews }

        init(_ product: StoreProduct) {
            switch product.kind {
            case .consumable: self = .consumable
            case .nonConsumable, .freeSubscription: self = .nonConsumable
            case .nonRenewing: self = .nonRenewable
            case .autoRenewable: self = .autoRenewable
            case .subscriptionSuite: self = .subscriptionSuite
            case .subscriptionBundle: self = .subscriptionBundle
            case nil: self = product.subscription?.groupIdentifier == nil ? .consumable : .autoRenewable
            }
        }
    }
}
