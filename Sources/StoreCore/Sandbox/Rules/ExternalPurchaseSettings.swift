import Foundation

/// The purchases outside of the store that an app may offer, and the payment methods that it may add.
///
/// An app may offer none of them unless a test says so: ``SandboxStore/externalPurchases``. What the customer chooses
/// on a notice is ``SandboxBackend/continuesToExternalPurchases``.
public struct ExternalPurchaseSettings: Hashable, Sendable {
    /// Whether the app may sell within the app by another provider of payments, after the notice of `ExternalPurchase`.
    public var presentsNotice: Bool
    /// Whether the app may use `ExternalPurchaseCustomLink`.
    public var usesCustomLinks: Bool
    /// The links that `ExternalPurchaseLink` opens, the first of them by `open()`; none if it opens nothing.
    public var links: [URL]
    /// The link that `ExternalLinkAccount` opens; nil if it opens nothing.
    public var accountLink: URL?
    /// The seconds of the store's clock for which a token of the types `ACQUISITION` and `SERVICES` is active.
    ///
    /// An hour by default, as in Apple's sandbox. A token is active for a century at most. One whose lifetime is not
    /// positive, or no number, has expired at once.
    public var tokenLifetime: TimeInterval
    /// The outcome of binding a payment method; ``PaymentBindingOutcome/notEligible`` by default.
    public var paymentBinding: PaymentBindingOutcome

    /// Creates settings; by default the app may offer nothing.
    public init(
        presentsNotice: Bool = false,
        usesCustomLinks: Bool = false,
        links: [URL] = [],
        accountLink: URL? = nil,
        tokenLifetime: TimeInterval = 3600,
        paymentBinding: PaymentBindingOutcome = .notEligible
    ) {
        self.presentsNotice = presentsNotice
        self.usesCustomLinks = usesCustomLinks
        self.links = links
        self.accountLink = accountLink
        self.tokenLifetime = tokenLifetime
        self.paymentBinding = paymentBinding
    }
}

/// The outcome of binding a payment method to an account, see `PaymentMethodBinding`.
public enum PaymentBindingOutcome: String, Hashable, CaseIterable, Codable, Sendable {
    /// The app or the account may not bind payment methods.
    case notEligible = "not-eligible"
    /// The identifier is invalid or expired.
    case invalidIdentifier = "invalid-identifier"
    /// The store fails when the customer has confirmed.
    case failed
    /// The customer cancels.
    case canceled = "cancelled"
    /// The customer confirms, and the payment method is bound.
    case bound
}
