extension SandboxTimeline.Entry {
    /// The kind of an event.
    public enum Kind: String, CaseIterable, Sendable {
        /// The store, an account, a device or a product was set up or changed.
        case setting
        /// An order was accepted and is undecided, or a purchase was begun on the store's page.
        case order
        /// Something waits for a decision: an order, or a requested refund.
        case waiting
        /// A purchase was charged.
        case sale
        /// A purchase or a restore failed.
        case refusal
        /// A device was told something.
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
        /// A purchase was refunded, or a refund was declined or taken back.
        case refund
        /// Transactions were deleted.
        case deletion
        /// An app's server changed something.
        case server
        /// An app's server was to be notified, or a notification was sent.
        case notification
    }
}
