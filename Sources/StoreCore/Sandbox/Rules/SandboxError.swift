import Foundation

/// The refusal of an operation by a sandbox store, with the reason as one sentence.
///
/// The sentence is for whoever reads the result of a test. A test that has to tell refusals apart asks the store before
/// it acts: ``SandboxStore/undecidedRequests`` and ``SandboxStore/interruptedPurchases`` have what can be decided and
/// resolved, ``SandboxAccount/subscription(inGroup:)`` says what runs, ``SandboxTransaction/refundedAmount`` what is
/// refunded, and ``SandboxStore/account(named:)`` which names are taken.
public struct SandboxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, as a value.
    package let reason: Reason

    /// Creates a refusal.
    package init(_ reason: Reason) { self.reason = reason }

    /// The reason, in one sentence.
    ///
    /// The wording is not stable.
    public var description: String { reason.description }
}

extension SandboxError {
    /// A reason why a sandbox store refuses an operation.
    package enum Reason: Hashable, Sendable, CustomStringConvertible {
        /// No country has this ISO 3166-1 alpha-3 code.
        case unknownStorefront(String)
        /// No product is registered under this identifier.
        case unknownProduct(String)
        /// No undecided transaction has this identifier.
        case notUndecided(String)
        /// No interrupted purchase has a transaction with this identifier.
        case notInterrupted(String)
        /// The store's page on the device does not show this product.
        case notPromoted(String)
        /// The link does not begin a purchase from this app.
        case notPurchaseIntent(String)
        /// The name is empty, or in use by another account, device or family.
        case nameTaken(String)
        /// The account belongs to another store.
        case foreignAccount(String)
        /// The account has no running subscription in this group.
        case notSubscribed(group: String)
        /// A product's identifier was given where a subscription group's is expected.
        case notGroup(product: String, group: String)
        /// The account's subscription in this group is a member of a bundle, and changes with the bundle alone.
        case bundled(group: String, bundle: String, bundleGroup: String)
        /// The account has not been asked to agree to a higher price in this group, or has answered.
        case noPriceConsentPending(group: String)
        /// The store never assigned this identifier to a transaction, or the transaction was deleted.
        case unknownTransaction(String)
        /// The transaction was not charged.
        case notSold(String)
        /// The transaction was refunded before.
        case alreadyRefunded(String)
        /// The transaction is not refunded.
        case notRefunded(String)
        /// The percentage of a refund is not above 0 and at most 100, or is finer than a thousandth.
        case invalidPercentage(Decimal)
        /// The account is in a family already.
        case inFamily(String)
        /// The account is not in the family.
        case notInFamily(String)
        /// The organizer has left the family, and with them all other members.
        case familyEnded(String)
        /// No app transaction or receipt can state this purchase of the app.
        case invalidAppPurchase(String)

        /// The reason, in one sentence.
        package var description: String {
            switch self {
            case .unknownStorefront(let code):
                "no country has the code \"\(code)\"; it is ISO 3166-1 alpha-3, as in USA"
            case .unknownProduct(let identifier): "no product \"\(identifier)\" is registered in this store"
            case .notUndecided(let identifier): "no transaction \"\(identifier)\" waits for a decision"
            case .notInterrupted(let identifier):
                "no transaction \"\(identifier)\" was interrupted and waits to be resolved"
            case .notPromoted(let identifier): "the store's page on this device does not show \"\(identifier)\""
            case .notPurchaseIntent(let reason): "the link begins no purchase from this app: \(reason)"
            case .nameTaken(let name) where name.isEmpty: "accounts, devices and families need a name that is not empty"
            case .nameTaken(let name):
                "the name \"\(name)\" is taken; accounts, devices and families are known by their names"
            case .foreignAccount(let name): "the account \"\(name)\" belongs to another store"
            case .unknownTransaction(let identifier): "no transaction \"\(identifier)\" is known to this store"
            case .notSold(let identifier): "nobody paid for a transaction \"\(identifier)\" in this store"
            case .alreadyRefunded(let identifier): "the transaction \"\(identifier)\" has been paid back already"
            case .notRefunded(let identifier): "the transaction \"\(identifier)\" is not refunded"
            case .invalidPercentage(let percentage):
                "\(percentage)% cannot be refunded: a percentage is above 0, at most 100, and exact to three digits"
            case .inFamily(let name): "the account \"\(name)\" is in a family already; it can be in one"
            case .notInFamily(let name): "the account \"\(name)\" is not in this family"
            case .familyEnded(let name): "the family \"\(name)\" ended when its organizer left"
            case .invalidAppPurchase(let reason): "the app cannot have been bought that way: \(reason)"
            case .notSubscribed(let group): "no subscription runs in the group \"\(group)\""
            case .notGroup(let product, let group): "\"\(product)\" is a product, its group is \"\(group)\""
            case .bundled(let group, let bundle, let bundleGroup):
                "the subscription in the group \"\(group)\" is a part of \"\(bundle)\": use its group, \"\(bundleGroup)\""
            case .noPriceConsentPending(let group): "no question about a higher price waits in the group \"\(group)\""
            }
        }
    }
}
