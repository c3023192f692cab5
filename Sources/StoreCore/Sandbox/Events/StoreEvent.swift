import Foundation

/// One change of a sandbox store.
///
/// The store's state is the fold of all events in their order. Every case stores a single reference, so an event is
/// cheap to pass from the rules to the ledger, the state and the observers.
enum StoreEvent: Hashable, Codable, Sendable {
    /// A product was registered, or registered again.
    indirect case registered(SandboxProduct)
    /// A product went on or off sale.
    indirect case availability(productIdentifier: String, ProductAvailability)
    /// An account was added.
    indirect case accountAdded(name: String)
    /// A device was added, with or without an account signed in.
    indirect case deviceAdded(name: String, account: AccountID?)
    /// An account signed in on a device, or its account signed out.
    indirect case signedIn(device: DeviceID, account: AccountID?)
    /// Payments by a device's user were allowed or disallowed.
    indirect case paymentsAllowed(device: DeviceID, Bool)
    /// An order was accepted and is undecided.
    case ordered(Order)
    /// An order was accepted and refused at once.
    indirect case refused(Order, StoreFailure)
    /// An order was accepted and charged at once.
    case sold(Order)
    /// The authorizer was called about an order, and postponed its decision.
    indirect case asked(transaction: TransactionNumber)
    /// An order is deferred, pending another person's approval.
    indirect case deferred(transaction: TransactionNumber)
    /// An undecided order was charged.
    case approved(Order)
    /// An order, undecided or just accepted, was satisfied by its account's existing transaction: nothing was sold.
    indirect case held(Order, by: TransactionNumber)
    /// An undecided order was refused.
    indirect case declined(transaction: TransactionNumber, StoreFailure)
    /// A device finished a transaction. If the transaction no longer exists, only the command is recorded as accepted.
    indirect case finished(Finish)
    /// Some of an account's past purchases were restored, as new transactions.
    indirect case restored(Restoration)
    /// A restore has completed.
    indirect case restoreEnded(device: DeviceID, command: OrderID)
    /// A restore was refused.
    indirect case restoreRefused(device: DeviceID, command: OrderID, StoreFailure)
    /// A device requested a refresh of its app receipt, with the properties that the receipt is to have.
    indirect case receiptRefreshed(device: DeviceID, ReceiptProperties)
    /// A subscription's next period began, and a number was assigned to its transaction.
    indirect case renewed(
        subscription: SubscriptionIndex,
        transaction: TransactionNumber,
        SubscriptionTerm,
        charge: Decimal
    )
    /// A subscription has ended.
    indirect case ended(subscription: SubscriptionIndex, SubscriptionEndReason)
    /// A subscription's user turned auto-renewal on or off.
    indirect case autoRenewal(subscription: SubscriptionIndex, Bool)
    /// An account redeemed a code or a win-back offer in the store itself.
    indirect case redeemed(Redemption)
    /// The operator or a server made a change that no queue ordered.
    indirect case `operator`(OperatorChange)
    /// A setting of renewal payments, or the billing state of a subscription, changed.
    indirect case billing(BillingChange)
    /// The record of the event cannot be read any more.
    case unreadable

    private enum CodingKeys: String, CodingKey {
        case registered, availability, accountAdded, deviceAdded, signedIn, paymentsAllowed, ordered, refused, sold
        case asked, deferred, approved, declined, held, finished, restored, restoreEnded, restoreRefused,
            receiptRefreshed
        case renewed, ended, autoRenewal, redeemed, billing, unreadable
        case `operator` = "owner"
    }

    /// The finish of a transaction by a device.
    struct Finish: Hashable, Codable, Sendable {
        let device: DeviceID
        let command: OrderID
        /// The transaction; nil if the device had no transaction to finish with the requested identifier.
        let transaction: TransactionNumber?
        /// The order that created the transaction.
        let order: OrderID?
        /// The account, if all of its devices received the transaction; nil if only this device did.
        let account: AccountID?
    }

    /// An order from a device, with the number of its transaction.
    ///
    /// A class, so that an event that contains an order stores one reference.
    final class Order: Hashable, Codable, Sendable {
        let device: DeviceID
        /// The account that pays; nil where none is signed in.
        let account: AccountID?
        let command: OrderID
        let transaction: TransactionNumber
        let payment: StorePayment
        /// The product, nil for an unknown one.
        let product: ProductIndex?
        /// The amount charged, nil if nothing was sold.
        let charge: Decimal?
        /// The effect of the sale on a subscription.
        let subscription: SubscriptionChange?

        init(
            device: DeviceID,
            account: AccountID?,
            command: OrderID,
            transaction: TransactionNumber,
            payment: StorePayment,
            product: ProductIndex?,
            charge: Decimal? = nil,
            subscription: SubscriptionChange? = nil
        ) {
            self.device = device
            self.account = account
            self.command = command
            self.transaction = transaction
            self.payment = payment
            self.product = product
            self.charge = charge
            self.subscription = subscription
        }

        static func == (left: Order, right: Order) -> Bool {
            left.device == right.device && left.account == right.account && left.command == right.command
                && left.transaction == right.transaction && left.payment == right.payment
                && left.product == right.product && left.charge == right.charge
                && left.subscription == right.subscription
        }

        func hash(into hasher: inout Hasher) { hasher.combine(command) }
    }

    /// A batch of restored purchases: every finished one in a range of the account's history, oldest first.
    struct Restoration: Hashable, Codable, Sendable {
        let device: DeviceID
        let account: AccountID
        let command: OrderID
        /// The application username of the purchases to restore, in addition to those without one; nil for all.
        let applicationUsername: String?
        let history: Range<PurchaseIndex>
        /// The numbers of the new transactions.
        let transactions: Range<TransactionNumber>
    }
}

/// One record of a store's ledger: an event, and its date by the clock of the store that appended it.
///
/// The content of a record is private to the store. A ledger stores records in order and returns them unchanged; a
/// durable ledger encodes them, in a form that later versions of the store can read.
public struct LedgerRecord: Hashable, Codable, Sendable {
    /// The date of the event, by the clock of the store that appended it.
    ///
    /// The dates of one store's records ascend with its clock, except for purchases that a test dates in the past, and
    /// for their renewals. Stores in several processes have separate clocks, so a record may be dated earlier than a
    /// preceding record of another store. Events are ordered by their records, not by their dates.
    public let date: Date
    let event: StoreEvent
}

/// Transactions to delete as if they had never existed.
struct Deletion: Hashable, Codable, Sendable {
    /// All deleted transactions.
    let transactions: [TransactionNumber]
    /// The deleted transactions that were unfinished.
    let withdrawn: [Withdrawn]
    /// The subscriptions that end because no purchase of the running period is left; nil in records of older versions
    /// of the store.
    var ended: [SubscriptionIndex]?

    /// An unfinished transaction that is removed from the queues.
    struct Withdrawn: Hashable, Codable, Sendable {
        let transaction: TransactionNumber
        let order: OrderID?
        /// The account that the transaction belonged to, nil if no account was signed in.
        let account: AccountID?
        /// The device that had received the transaction; nil for all of the account's devices.
        let device: DeviceID?
    }
}

/// A purchase without a queue's order: one made elsewhere, or one that is completed after an interruption.
struct UnorderedPurchase: Hashable, Codable, Sendable {
    let account: AccountID
    /// The device that receives the transaction; nil if all of the account's devices do, until one finishes it.
    let device: DeviceID?
    let transaction: TransactionNumber
    let payment: StorePayment
    let product: ProductIndex
    let charge: Decimal
    /// The effect of the purchase on a subscription.
    let subscription: SubscriptionChange?
    /// The account's existing transaction that satisfies the purchase; nil if something is sold.
    var held: TransactionNumber?
}
