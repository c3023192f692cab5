import Foundation

/// A product as a store's operator registers it: in every language, with every offer.
///
/// A device sees it as a ``StoreProduct``, in one language and with one currency.
///
/// ```swift
/// let products: [SandboxProduct] = [
///     .consumable("coins.100", price: "0.99", title: "100 coins"),
///     .nonConsumable("full.game", price: "4.99", title: "Full game", description: "Every level, for good."),
///     .autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro", title: "Pro"),
/// ]
/// ```
///
/// A mistake in it, such as `price: "4,99"`, stops the process with a sentence; ``makeThrowing(_:)`` throws it instead.
public struct SandboxProduct: Hashable, Codable, Sendable {
    /// The kind of a product.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// Used up, and bought again each time. Never restored.
        case consumable
        /// Bought once, for all of the user's devices. Restored.
        case nonConsumable
        /// Charged again at the end of each period until the user turns renewal off. Restored.
        case autoRenewable
        /// Lasts for as long as the app decides. Bought like a consumable, never restored.
        case nonRenewing
        /// Subscribed to once, free, and without an end. Restored.
        case freeSubscription
    }

    /// The product's texts in one language.
    public struct Localization: Hashable, Codable, Sendable {
        /// The language, with a script or a country where that matters: `en_US`, `zh_Hans`, `ar`.
        public var locale: String
        /// The product's name for the user.
        ///
        /// May be empty.
        public var title: String
        /// The product's description for the user.
        ///
        /// May be empty.
        public var description: String
        /// Creates texts in one language.
        public init(locale: String, title: String, description: String = "") {
            self.locale = locale
            self.title = title
            self.description = description
        }
    }

    /// The product's identifier, in the app and in the store.
    ///
    /// Never empty.
    public let identifier: String
    /// The product's kind.
    public let kind: Kind
    /// The operator's name for it.
    ///
    /// Users see it where the product has no localization at all.
    public var referenceName: String
    /// The price of one, exact: in whole thousandths, at least 0 and below 2^63 of them.
    ///
    /// The storefront determines the currency. ``priced(_:in:)`` sets another price for a country.
    public var price: Decimal
    /// The texts, one entry a language, the operator's preferred one first.
    public var localizations: [Localization]
    /// Whether the purchaser's family may use it too.
    public var isFamilyShareable: Bool
    /// The store's internal identifier, as Xcode's file has it; nil for none.
    public var internalIdentifier: String?
    /// The subscription of an auto-renewable product; nil for every other kind.
    public var subscription: Subscription?
    /// The content that the store hosts for it; nil for none.
    public var hostedContent: HostedContent?
    /// The countries in which it is sold and its prices there; nil for everywhere, at ``price``.
    var storefrontTerms: StorefrontTerms?

    init(
        identifier: String,
        kind: Kind,
        referenceName: String,
        price: Decimal,
        localizations: [Localization],
        isFamilyShareable: Bool = false,
        internalIdentifier: String? = nil,
        subscription: Subscription? = nil
    ) {
        self.identifier = identifier
        self.kind = kind
        self.referenceName = referenceName
        self.price = price
        self.localizations = localizations
        self.isFamilyShareable = isFamilyShareable
        self.internalIdentifier = internalIdentifier
        self.subscription = subscription
    }
}

extension SandboxProduct.Kind {
    /// Whether a restore brings it back, and repeating the purchase is free (behaviors 104 to 106).
    var isRestorable: Bool {
        switch self {
        case .nonConsumable, .autoRenewable, .freeSubscription: true
        case .consumable, .nonRenewing: false
        }
    }
}
