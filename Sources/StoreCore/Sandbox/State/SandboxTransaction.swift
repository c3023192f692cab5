import Foundation

/// One transaction of a sandbox store, as its ledger has it: also what failed, what waits, and what is finished.
public struct SandboxTransaction: Hashable, Sendable, Identifiable {
    /// What a transaction came of.
    public enum Origin: String, Hashable, Codable, Sendable {
        /// Somebody bought.
        case purchase
        /// A subscription's next period began.
        case renewal
        /// A restore brought back something bought earlier.
        case restoration
        /// Somebody else of the family bought, or their subscription renewed.
        case familySharing
    }

    /// The store's name for it.
    public let id: String
    /// What it came of.
    public let origin: Origin
    /// The transaction that it renews or restores, which for a renewal is the one that the subscription began with; nil
    /// for a purchase.
    public internal(set) var original: String?
    /// The name of the account that pays, nil where nobody was signed in.
    public let account: String?
    /// The name of the device on which it was ordered or restored, nil for what all of the account's devices hear of.
    public let device: String?
    /// The command that asked for it, nil for what nobody asked for and for what a restore brought.
    public let order: OrderID?
    /// The product.
    public let productIdentifier: String
    /// How many of it.
    public let quantity: Int
    /// When it was ordered, by the store's clock; of a renewal, when it was charged.
    public let date: Date
    /// What has become of it.
    public internal(set) var state: StoreTransaction.State
    /// Why it failed, nil unless it did.
    public internal(set) var failure: StoreFailure?
    /// What was charged; nil where nothing was sold, zero for what costs nothing.
    public internal(set) var charge: Decimal?
    /// The first moment that is not paid for, of an auto-renewable subscription's period.
    public internal(set) var expirationDate: Date?
    /// Since when it does not count any more: it was paid back, or is not shared any more; nil while it counts.
    public internal(set) var cancellationDate: Date?
    /// What was paid back; nil where nothing was, zero for what had cost nothing.
    public internal(set) var refund: Decimal?
    /// The name of the account that paid for it and shares it with the family, nil for what is the account's own.
    public internal(set) var sharedBy: String?
    /// Whether an app was done with it.
    public internal(set) var isFinished = false
}

extension SandboxTransaction: CustomStringConvertible {
    /// The number, the product and what has become of it, in one line.
    public var description: String {
        let isOver = isFinished ? ", finished" : ""
        let isCancelled = cancellationDate == nil ? "" : ", cancelled"
        return "#\(id) \(SandboxTimeline.name(of: productIdentifier, quantity)): \(state)\(isCancelled)\(isOver)"
    }
}
