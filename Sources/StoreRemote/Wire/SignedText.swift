import StoreCore

/// A signed value as text, with the defect of the signature that the store reports.
package struct SignedText: Hashable, Codable, Sendable {
    package var jws: String
    package var defect: SignatureDefect?

    /// Signs a value, unless it is already signed.
    ///
    /// - Throws: the signer's error.
    package init<Payload>(_ value: SignedValue<Payload>) throws { (jws, defect) = (try value.jws, value.defect) }

    package init(jws: String, defect: SignatureDefect? = nil) { (self.jws, self.defect) = (jws, defect) }
}

/// A `HistoryPage` as text.
package struct HistoryText: Hashable, Codable, Sendable {
    package var transactions: [SignedText]
    package var next: String?

    package init(transactions: [SignedText], next: String?) { (self.transactions, self.next) = (transactions, next) }

    package init(_ page: HistoryPage) throws {
        transactions = try page.transactions.map(SignedText.init)
        next = page.next
    }
}

/// A `SignedSubscription` as text.
package struct SubscriptionText: Hashable, Codable, Sendable {
    package var transaction: SignedText
    package var renewal: SignedText

    package init(transaction: SignedText, renewal: SignedText) {
        (self.transaction, self.renewal) = (transaction, renewal)
    }

    package init(_ subscription: SignedSubscription) throws {
        transaction = try SignedText(subscription.transaction)
        renewal = try SignedText(subscription.renewal)
    }
}
