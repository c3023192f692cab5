/// A question about the subscriptions of the account that is signed in on a device.
public enum SubscriptionQuery: Hashable, Codable, Sendable {
    /// Those of every group in which the account ever had one.
    case all
    /// Those of one group: the account's own first, then what its family shares.
    case group(String)
    /// The one that a transaction belongs to.
    case transaction(String)
}
