import Foundation

extension LedgerRecord {
    /// The record that a ledger returns in the place of one that it cannot read any more.
    ///
    /// The store continues without it: later references to what it made are skipped.
    public static let unreadable = LedgerRecord(date: .distantPast, event: .unreadable)

    /// Whether later records refer by number to what this one added or removed: a product, an account, a device, a
    /// family, a subscription.
    ///
    /// Without it they would refer to others. A ledger that keeps some records more safely than the rest keeps these.
    public var isCountedOn: Bool {
        switch event {
        case .registered, .accountAdded, .deviceAdded, .redeemed: true
        case .sold(let order), .approved(let order): order.subscription != nil
        case .operator(.bought(let purchase)), .operator(.resolved(_, let purchase)): purchase.subscription != nil
        case .operator(.family(.founded)), .operator(.cleared), .operator(.deleted): true
        default: false
        }
    }
}
