/// A reason why a sandbox store refuses what a server asks of it, each one that the App Store Server API has a code for.
package enum ServerRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store does not know the transaction: 4040010.
    case unknownTransaction(String)
    /// The store does not know the first transaction of a purchase: 4040005.
    case unknownOriginalTransaction(String)
    /// The transaction is known, but is not the first of its purchase: 4000187.
    case notOriginalTransaction(String)
    /// The transaction is not one of an auto-renewable subscription: 4000008.
    case notSubscription(String)
    /// The subscription is not active, so that its renewal date cannot be extended: 4030004.
    case notActive(String)
    /// The running period is free under an offer, so that its end cannot be extended: 4030004.
    case free(String)
    /// The renewal date was extended as often as it may be in a year: 4030005.
    case extendedTooOften(String)
    /// The subscription comes from the family, and cannot be extended: 4030007; its token cannot be set: 4000185.
    case familyShared(String)
    /// The number of days is outside of 1 to 90: 4000009.
    case invalidDays(Int)
    /// The reason's code is outside of 0 to 3: 4000010.
    case invalidReason(Int)
    /// The request's identifier is empty, or longer than 128 characters: 4000011.
    case invalidRequestIdentifier(String)
    /// No auto-renewable product has the identifier: 4000023.
    case unknownProduct(String)
    /// The store never gave this revision for such a query: 4000005.
    case invalidRevision(String)
    /// The report on a consumption is no JSON object: 4000000.
    case invalidReport

    /// One sentence that names the reason.
    package var description: String {
        switch self {
        case .unknownTransaction(let identifier), .unknownOriginalTransaction(let identifier):
            "no transaction \"\(identifier)\" is known to this store"
        case .notOriginalTransaction(let identifier):
            "the transaction \"\(identifier)\" is not the first of its purchase"
        case .notSubscription(let identifier):
            "the transaction \"\(identifier)\" belongs to no auto-renewable subscription"
        case .notActive(let identifier): "the subscription of \"\(identifier)\" is not active"
        case .free(let identifier): "the running period of \"\(identifier)\" is free, and only a paid one is extended"
        case .extendedTooOften(let identifier):
            "the renewal date of \"\(identifier)\" was extended twice in the last 365 days, which is the most"
        case .familyShared(let identifier): "the transaction \"\(identifier)\" is shared by the family"
        case .invalidDays(let days): "a renewal date is extended by 1 to 90 days, not by \(days)"
        case .invalidReason(let reason): "an extension's reason is 0, 1, 2 or 3, not \(reason)"
        case .invalidRequestIdentifier: "a request's identifier has 1 to 128 characters"
        case .unknownProduct(let identifier): "no auto-renewable product \"\(identifier)\" is registered in this store"
        case .invalidRevision(let revision): "the store gave no revision \"\(revision)\" for this query"
        case .invalidReport: "a report on a consumption is a JSON object"
        }
    }
}
