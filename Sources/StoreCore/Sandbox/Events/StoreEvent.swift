import Foundation

/// One change of a sandbox store.
///
/// The store's state is what these add up to, in their order. Every case is one reference: events are handed from the
/// rules to the ledger to the state to whoever is told.
enum StoreEvent: Hashable, Codable, Sendable {
    /// A product was registered, or registered anew.
    indirect case registered(SandboxProduct)
    /// A product went on or off sale.
    indirect case availability(productIdentifier: String, ProductAvailability)
    /// An account was opened.
    indirect case accountAdded(name: String)
    /// A device was set up, and an account signed in on it or none.
    indirect case deviceAdded(name: String, account: Int?)
    /// Another account, or none, is signed in on a device from now on.
    indirect case signedIn(device: Int, account: Int?)
    /// The user of a device may or may not pay.
    indirect case paymentsAllowed(device: Int, Bool)
    /// An order was taken and is not decided yet.
    case ordered(Order)
    /// An order was taken and refused at once.
    indirect case refused(Order, StoreFailure)
    /// An order was taken and paid for at once.
    case sold(Order)
    /// The authorizer was asked about an order and will decide later.
    indirect case asked(transaction: Int)
    /// An order waits for somebody else.
    indirect case deferred(transaction: Int)
    /// An order that waited was paid for.
    case approved(Order)
    /// An order that waited was refused.
    indirect case declined(transaction: Int, StoreFailure)
    /// A device is done with a transaction. One that is not there any more changes nothing but the command's number.
    indirect case finished(Finish)
    /// Some of an account's past purchases came back, as new transactions.
    indirect case restored(Restoration)
    /// All that a restore brings has come back.
    indirect case restoreEnded(device: Int, command: OrderID)
    /// A restore was refused.
    indirect case restoreRefused(device: Int, command: OrderID, StoreFailure)
    /// A device asked for its app receipt, and how it is to be.
    indirect case receiptRefreshed(device: Int, ReceiptProperties)
    /// A subscription's next period began, and its transaction got a number.
    indirect case renewed(subscription: Int, transaction: Int, SubscriptionTerm, charge: Decimal)
    /// A subscription's last period is over.
    indirect case ended(subscription: Int, SubscriptionEnd)
    /// A subscription's user wants it to renew, or not.
    indirect case autoRenewal(subscription: Int, Bool)
    /// An account got something in the store itself: with a code, or because it was to be won back.
    indirect case redeemed(Redemption)
    /// The store's owner changed something around orders.
    indirect case owner(OwnerChange)
    /// Something changed around the payment for renewals.
    indirect case billing(BillingChange)
    /// What happened cannot be read any more.
    case unreadable

    /// Which transaction a device is done with, and who else heard of it.
    struct Finish: Hashable, Codable, Sendable {
        let device: Int
        let command: OrderID
        /// Nil where there was none.
        let transaction: Int?
        /// The order that the transaction came of.
        let order: OrderID?
        /// The account, all of whose devices have heard of the transaction.
        let account: Int?
    }

    /// What a device asked for, and the number its transaction got.
    ///
    /// A reference, because events are.
    final class Order: Hashable, Codable, Sendable {
        let device: Int
        /// Who pays; nil where nobody is signed in.
        let account: Int?
        let command: OrderID
        let transaction: Int
        let payment: StorePayment
        /// The product's number in the catalog, nil for one that is not there.
        let product: Int?
        /// What was charged, if it was sold.
        let charge: Decimal?
        /// What the sale did to a subscription.
        let subscription: SubscriptionChange?

        init(
            device: Int,
            account: Int?,
            command: OrderID,
            transaction: Int,
            payment: StorePayment,
            product: Int?,
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

    /// A run of past purchases: every finished one in a range of the account's history, oldest first.
    struct Restoration: Hashable, Codable, Sendable {
        let device: Int
        let account: Int
        let command: OrderID
        /// Only what was bought for this user of the app's, or for none; nil for all.
        let applicationUsername: String?
        let history: Range<Int>
        /// The numbers of the new transactions.
        let transactions: Range<Int>
    }
}

/// One line of a store's ledger: what changed, and when by the store's clock.
///
/// What it says is the store's own affair. A ledger keeps records in their order and gives them back as they were; one
/// that writes them down encodes them, in a form that later versions of the store will read.
public struct LedgerRecord: Hashable, Codable, Sendable {
    /// When it happened, by the store's clock.
    public let date: Date
    let event: StoreEvent
}
