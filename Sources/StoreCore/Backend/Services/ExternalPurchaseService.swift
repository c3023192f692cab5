import Foundation

/// A service by which a store answers an app that sells outside of the store, or adds payment methods.
///
/// Without this service, an app may do neither.
package protocol ExternalPurchaseService: Sendable {
    /// Answers a request of the app.
    ///
    /// - Throws: a ``StoreFailure``.
    func external(_ request: ExternalRequest) async throws -> ExternalAnswer
}

/// A request of an app about purchases outside of the store, or about a payment method.
package struct ExternalRequest: Hashable, Codable, Sendable {
    /// The kind of a request.
    package enum Action: String, Hashable, CaseIterable, Codable, Sendable {
        /// What may the app offer?
        case eligibility
        /// Show the notice of `ExternalPurchase`.
        case notice
        /// Show the notice of `ExternalPurchaseCustomLink`.
        case customLinkNotice
        /// Return a token of a type.
        case token
        /// Open a link to a purchase.
        case openLink
        /// Open the link to an account.
        case openAccountLink
        /// May the payment method with this identifier be bound?
        case checkPaymentMethod
        /// Bind the payment method with this identifier.
        case bindPaymentMethod
    }

    /// The kind of the request.
    package var action: Action
    /// The type of the token.
    package var type: String?
    /// The link to open; nil for the app's first.
    package var link: URL?
    /// The identifier of the payment method.
    package var identifier: String?

    /// Creates a request.
    package init(_ action: Action, type: String? = nil, link: URL? = nil, identifier: String? = nil) {
        (self.action, self.type, self.link, self.identifier) = (action, type, link, identifier)
    }
}

/// The store's answer to an ``ExternalRequest``.
package struct ExternalAnswer: Hashable, Codable, Sendable {
    /// The outcome of a request.
    package enum Outcome: String, Hashable, CaseIterable, Codable, Sendable {
        /// The customer continues, or the store has done what was requested.
        case continued
        /// The customer cancels.
        case cancelled
        /// The app or the customer may not do this.
        case notEligible
        /// The identifier is invalid.
        case invalidIdentifier
        /// The store failed.
        case failed
    }

    /// The outcome.
    package var outcome: Outcome
    /// The text of the token; nil for none.
    package var token: String?
    /// What the app may offer, if it asked for that.
    package var eligibility: ExternalEligibility?

    /// Creates an answer.
    package init(_ outcome: Outcome = .continued, token: String? = nil, eligibility: ExternalEligibility? = nil) {
        (self.outcome, self.token, self.eligibility) = (outcome, token, eligibility)
    }
}

/// The purchases outside of the store that an app may offer now.
package struct ExternalEligibility: Hashable, Codable, Sendable {
    /// Whether the app may present the notice of `ExternalPurchase`.
    package var presentsNotice: Bool
    /// Whether the app may use `ExternalPurchaseCustomLink`.
    package var usesCustomLinks: Bool
    /// The links that `ExternalPurchaseLink` may open.
    package var links: [URL]
    /// Whether `ExternalLinkAccount` may open its link.
    package var opensAccountLink: Bool

    /// Creates a value; by default the app may offer nothing.
    package init(
        presentsNotice: Bool = false,
        usesCustomLinks: Bool = false,
        links: [URL] = [],
        opensAccountLink: Bool = false
    ) {
        (self.presentsNotice, self.usesCustomLinks) = (presentsNotice, usesCustomLinks)
        (self.links, self.opensAccountLink) = (links, opensAccountLink)
    }
}
