/// An app's decision about a purchase that was under way when the storefront changed.
package struct StorefrontDecision: Hashable, Codable, Sendable {
    package var transaction: String
    package var shouldContinue: Bool

    private enum CodingKeys: String, CodingKey {
        case transaction = "transactionIdentifier"
        case shouldContinue
    }

    package init(transaction: String, shouldContinue: Bool) {
        (self.transaction, self.shouldContinue) = (transaction, shouldContinue)
    }
}

/// The body of a request without arguments, and of an answer without content.
package struct Nothing: Hashable, Codable, Sendable {
    package init() {}
}
