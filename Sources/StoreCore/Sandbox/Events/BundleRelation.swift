/// The relation of a subscription's period to a bundle of subscriptions.
struct BundleRelation: Hashable, Codable, Sendable {
    /// The bundle's period that includes this one; nil if the subscription was bought by itself.
    var period: Period?
    /// The original transaction of the subscription that this one replaced: the bundle's for a subscription that has
    /// left its bundle, that of the subscription by itself for a member of a bundle.
    var previousOriginal: TransactionNumber?

    /// A period of a bundle.
    struct Period: Hashable, Codable, Sendable {
        let product: ProductIndex
        /// The transaction that began the period.
        let transaction: TransactionNumber
        /// The first transaction of the bundle's subscription.
        let original: TransactionNumber
    }
}
