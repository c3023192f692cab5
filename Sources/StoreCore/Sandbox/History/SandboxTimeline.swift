import Foundation

/// The human-readable history of a sandbox store, line by line.
///
/// ```text
/// 2025-01-01 00:00:00  account  device  #1  2 × sword  sold for 1.98 (order 1)
/// 2025-01-01 00:00:00  account  device  #2  dragon     refused, paymentInvalid: no product "dragon" is registered in this store (order 2)
/// 2025-02-01 00:00:00  account          #3  gold       renewed until 2025-03-01 00:00:00 for 9.99
/// ```
///
/// The timeline is read from the ledger, and includes the events of earlier stores on the same ledger. Deliveries to
/// devices are included while ``SandboxStore/tracesDeliveries`` is on. To attach a timeline to a failing test, pass its
/// ``description``, or its ``html``, to `Attachment.record(_:named:)`.
public struct SandboxTimeline: Hashable, Sendable {
    /// One line of the timeline.
    public struct Entry: Hashable, Sendable {
        /// The time, by the store's clock.
        public let date: Date
        /// The kind of event.
        public internal(set) var kind = Kind.setting
        /// The name of the account that the event concerns; nil for none.
        public var account: String?
        /// The name of the device on which the event happened; nil if it happened on none.
        public var device: String?
        /// The identifier of the transaction that the event concerns; nil for none.
        ///
        /// Of several refunded or deleted transactions, this is the first one. For an event of a subscription, this is
        /// the subscription's first transaction.
        public var transaction: String?
        /// The identifier of the product that the event concerns; nil for none.
        public var productIdentifier: String?
        /// The quantity of the product; 1 if the event concerns no product.
        public var quantity = 1
        /// The queue's command that caused the event; nil for none.
        public var order: OrderID?
        /// The event, in words.
        ///
        /// The wording is not stable.
        public var what: String
        /// The failure that the app received, whose reason names the rule; nil if nothing failed.
        public var refusal: StoreFailure?
        /// Whether the event is a delivery to a device rather than a decision of the store.
        package var isDelivery = false
        /// Further transactions that the event creates or changes.
        var others: [String] = []
        /// The transactions that those of the entry renew, restore or continue in another way.
        var originals: [String] = []
        /// The products to which the event ended access.
        var revoked: [String] = []
        /// The kind of thing that the entry adds to the store; nil for any other entry.
        var addition: Addition?
        /// The key of the notification that the entry records or attempts to deliver; nil for none.
        package var notification: String?
        /// The result of the attempt to deliver a notification; nil for any other entry.
        package var result: String?
    }

    /// The lines, oldest first.
    public let entries: [Entry]

    /// Creates a timeline from lines.
    package init(entries: [Entry] = []) { self.entries = entries }

    /// Returns the lines about one transaction, oldest first, including those about several, such as a restore.
    public func entries(about transaction: String) -> [Entry] {
        entries.filter { $0.transaction == transaction || $0.others.contains(transaction) }
    }
}

extension SandboxTimeline: CustomStringConvertible {
    /// All lines, in columns, the times in UTC.
    public var description: String {
        let rows = entries.map { entry in
            [
                entry.date.universalText,
                entry.account ?? "",
                entry.device ?? "",
                entry.transaction.map { "#\($0)" } ?? "",
                entry.productIdentifier.map { Self.name(of: $0, entry.quantity) } ?? "",
                entry.sentence,
            ]
        }
        var widths = [0, 0, 0, 0, 0]
        for row in rows { for column in widths.indices { widths[column] = max(widths[column], row[column].count) } }
        return
            rows.map { row in
                let columns = zip(row, widths).filter { $0.1 > 0 }.map { text, width in
                    text.padding(toLength: width, withPad: " ", startingAt: 0)
                }
                return (columns + [row[5]]).joined(separator: "  ")
            }
            .joined(separator: "\n")
    }

    static func name(of product: String, _ quantity: Int) -> String {
        quantity == 1 ? product : "\(quantity) × \(product)"
    }
}

extension SandboxTimeline.Entry {
    /// The event, the reason for a refusal, and the number of the order.
    var sentence: String {
        var sentence = what
        if let refusal { sentence += ", \(refusal.name): \(refusal.reason)" }
        if let order { sentence += " (order \(order.number))" }
        return sentence
    }
}

extension StoreFailure {
    /// The code's name in Store Kit; for any other code, its domain and number.
    fileprivate var name: String {
        (domain == .storeKit ? Code(rawValue: code).name : nil) ?? "\(domain.rawValue) \(code)"
    }
}

extension SandboxTimeline.Entry {
    /// A kind of thing that is added to a store before it is used.
    enum Addition: CaseIterable, Sendable { case product, account, device, server }

    /// The kind of an event.
    ///
    /// Later versions may add cases: a `switch` needs a `default`.
    public enum Kind: String, CaseIterable, Sendable {
        /// The store, an account, a device or a product was set up or changed.
        case setting
        /// An order was accepted and is undecided, or a purchase was begun on the store's page.
        case order
        /// A decision is pending: about an order, or about a refund request.
        case waiting
        /// A purchase was charged.
        case sale
        /// A purchase or a restore failed.
        case refusal
        /// An update was delivered to a device.
        case delivery
        /// A transaction was finished.
        case finish
        /// A subscription's next period began.
        case renewal
        /// Past purchases were restored.
        case restoration
        /// A subscription ended or changed otherwise.
        case subscription
        /// A family or what it shares changed.
        case sharing
        /// A purchase was refunded, or a refund was declined or reversed.
        case refund
        /// Transactions were deleted.
        case deletion
        /// An app's server requested a change.
        case server
        /// An app's server was to be notified, or a notification was sent.
        case notification
    }
}

extension SandboxTimeline.Entry {
    init(_ update: StoreUpdate, at now: Date) {
        self.init(date: now, kind: .delivery, what: "", isDelivery: true)
        switch update {
        case .transaction(let transaction):
            self.transaction = transaction.identifier
            productIdentifier = transaction.payment.productIdentifier
            quantity = transaction.payment.quantity
            what = "told: \(transaction.state)"
        case .finished(let transaction, _):
            self.transaction = transaction
            what = "told: finished elsewhere"
        case .restoreEnded(let command, let failure):
            order = command
            what = "told: restore ended"
            refusal = failure
        case .storefront(let storefront): what = "told: storefront \(storefront?.countryCode ?? "unknown")"
        case .revoked(let identifiers):
            revoked = identifiers
            what = "told: revoked \(identifiers.joined(separator: ", "))"
        case .promoted(let payment, _):
            productIdentifier = payment.productIdentifier
            what = "told: promoted"
        }
    }
}
