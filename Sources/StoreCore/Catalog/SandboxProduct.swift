import Foundation

/// A product as the owner of a sandbox registers it: in every language, with every offer.
///
/// What a device gets to see of it, in one language and with one currency, is a ``StoreProduct``.
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
    /// What buying the product means.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// Used up; bought anew each time it is wanted. Never restored.
        case consumable
        /// Bought once, for all of the user's devices. Restored.
        case nonConsumable
        /// Paid for again at the end of each period until the user stops it. Restored.
        case autoRenewable
        /// Lasts for as long as the app says. Bought like a consumable, never restored.
        case nonRenewing
        /// Signed up for once, costs nothing and never ends. Restored.
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
        /// What the product is, for the user.
        ///
        /// May be empty.
        public var description: String
        /// Texts in one language.
        public init(locale: String, title: String, description: String = "") {
            self.locale = locale
            self.title = title
            self.description = description
        }
    }

    /// Names the product, in the app and in the store.
    ///
    /// Never empty.
    public let identifier: String
    /// What buying it means.
    public let kind: Kind
    /// What its owner calls it.
    ///
    /// Users see it where the product has no localization at all.
    public var referenceName: String
    /// The price of one, exact, at least 0 and below 10^18.
    ///
    /// The storefront says in which currency. ``priced(_:in:)`` gives it another one in a country.
    public var price: Decimal
    /// The texts, one entry a language, the owner's favourite first.
    public var localizations: [Localization]
    /// Whether the buyer's family may use it too.
    public var isFamilyShareable: Bool
    /// The store's own name for it, as it stands in Xcode's file; nil where nobody gave it one.
    public var internalIdentifier: String?
    /// What makes an auto-renewable subscription; nil for every other kind.
    public var subscription: Subscription?
    /// What the store hosts for it; nil where it hosts nothing.
    public var hostedContent: HostedContent?
    /// Where it is sold and what it costs there; nil for everywhere, at ``price``.
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
    /// Whether a restore brings it back, and buying it again is free (behaviours 104 to 106).
    var isRestorable: Bool {
        switch self {
        case .nonConsumable, .autoRenewable, .freeSubscription: true
        case .consumable, .nonRenewing: false
        }
    }
}
