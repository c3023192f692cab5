import Foundation

/// A server's report on what was bought with an external purchase token, as far as the store's rules depend on it.
package struct ExternalReport: Hashable, Codable, Sendable {
    /// The status of the token that a report states.
    package enum Status: String, Hashable, CaseIterable, Codable, Sendable {
        /// The token has transactions.
        case lineItem = "LINE_ITEM"
        /// Nothing was bought with the token.
        case noLineItem = "NO_LINE_ITEM"
        /// The server does not know the token.
        case unrecognized = "UNRECOGNIZED_TOKEN"
        /// The server reports by another token of the same time.
        case duplicate = "DUPLICATE_TOKEN"
    }

    /// A transaction, or a correction of one.
    package struct LineItem: Hashable, Codable, Sendable {
        /// The server's identifier of the transaction.
        package var id: String
        /// Whether the item is a refund; otherwise it is a purchase.
        package var isRefund = false
        /// The milliseconds from the beginning of 1970, UTC, to the transaction.
        package var creationDate: Int64
        /// Whether the item replaces one that was reported before.
        package var isRestatement = false
        /// Whether the item was reported by mistake.
        package var isErroneous = false
        /// The purchase that the item refers to.
        package var reference: String?
        /// The event in the subscription's life; nil for a refund and for what is bought once.
        package var subscriptionEvent: String?
        /// The amount without taxes, in thousandths of the currency's unit.
        package var amount: Int
        /// The amount without taxes after all refunds, in thousandths of the currency's unit.
        package var netAmount: Int
        /// The currency in which the customer paid.
        package var pricingCurrency: String
        /// The currency of the amounts.
        package var reportingCurrency: String
        /// The rate between the two currencies, as it was written.
        package var exchangeRate: String?
        /// The country of the taxes, ISO 3166-1 alpha-3.
        package var taxCountry: String

        /// The event that begins a subscription.
        package static let subscriptionStart = "SUBSCRIPTION_START"

        /// Creates an item.
        package init(
            id: String,
            creationDate: Int64,
            amount: Int,
            netAmount: Int,
            pricingCurrency: String,
            reportingCurrency: String,
            taxCountry: String
        ) {
            self.id = id
            self.creationDate = creationDate
            (self.amount, self.netAmount) = (amount, netAmount)
            (self.pricingCurrency, self.reportingCurrency) = (pricingCurrency, reportingCurrency)
            self.taxCountry = taxCountry
        }
    }

    /// The server's identifier of the report, in lowercase.
    package let request: String
    /// The token's identifier.
    package let token: String
    /// The token's status.
    package let status: Status
    /// The transactions.
    package let lineItems: [LineItem]
    /// The report as it was sent.
    package let json: Data

    /// Creates a report.
    package init(request: String, token: String, status: Status, lineItems: [LineItem], json: Data) {
        (self.request, self.token, self.status) = (request, token, status)
        (self.lineItems, self.json) = (lineItems, json)
    }
}
