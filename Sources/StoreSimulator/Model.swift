import Foundation
import StoreCore

/// What a store should be, in the plainest terms: told of what arrives, what is decided and how late it is, it says who owns
/// what, who has paid how much, and what each device's queue has to show.
///
/// It shares nothing with the store but the prices.
struct Model {
    typealias Product = Step.Product

    enum Stage {
        case purchasing, deferred, purchased, failed, restored

        var isDecided: Bool { self != .purchasing && self != .deferred }
    }

    /// What a transaction comes of.
    enum Origin {
        case ordered, restored, renewed, resolved
        /// Bought without any app's order.
        case elsewhere
        /// Bought by another of the family.
        case shared
    }

    /// A transaction.
    struct Entry {
        let origin: Origin
        /// The number of the payment, nil for what no app ordered; one that is restored or resolved has its original's.
        let tag: Int?
        /// Where it was ordered or restored, nil for what no app ordered.
        let device: Int?
        /// Nil for what was refused because nobody was signed in.
        let account: Int?
        let product: Product
        let quantity: Int
        var stage: Stage
        /// Why it failed.
        var failure: StoreFailure.Code?
        /// What it restores, renews, or goes on sharing.
        var original: Int?
        /// What the subscription began with that it belongs to, nil for what is that itself.
        var beginning: Int?
        /// When a renewal is due.
        var date: Date
        var identifier: String?
        /// What was paid, in cents; nil for what nobody sold.
        var charge: Int?
        /// Which of the subscription's periods it is for.
        var period: Int?
        /// The offer that it was paid with, nil for the usual price.
        var offer: Step.Offer?
        /// When its period ends, and what that is under; nil for what has none.
        var end: Date?
        var deal: SubscriptionModel.Deal?
        /// When it was paid back, or shared no longer.
        var cancellation: Date?
        var isRefunded: Bool { cancellation != nil }
        var isLive = true
        /// The store's owner has made it as if it had never been.
        var isDeleted = false
    }

    struct Account {
        /// In cents.
        var charged = 0
        /// In cents.
        var refunded = 0
        var ownsGame = false
        /// The game was bought in the change that is under way.
        var hasNewGame = false
        /// Its family may use what it buys.
        var sharesPurchases = true
        /// What can be restored once it is finished, by the entries.
        var history: [Int] = []
        var club: SubscriptionModel?
        /// The offers that it had without an app's order.
        var redeemed: Set<Step.Offer> = []
        /// Somebody else is asked about what it orders.
        var asksToBuy = false
        /// Its renewals cannot be paid for.
        var billingFails = false
        /// What it orders is interrupted.
        var isInterrupted = false
        /// Whether any app of its devices can hear of it.
        var isHeard = true
    }

    struct Device {
        var account: Int?
        /// Everybody who ever was signed in.
        var guests: Set<Int>
        /// What was begun on the store's page there, and how often.
        var promotions: [Product: Int] = [:]
        /// What its app puts first on that page, and what it shows or hides.
        var promotionOrder: [Product] = []
        var promotionVisibility: [Product: Bool] = [:]
        /// Whether something came to it that puts a receipt there.
        var hasReceipt = false
        /// What its receipt says of itself, and since when.
        var receiptKind = Step.ReceiptKind.plain
        var refreshDate: Date?
        /// The ends of access that its app has to hear of, by whose it was.
        var revocations: [Int: [Product: Int]] = [:]
    }

    var now: Date
    var entries: [Entry] = []
    var live: [Int] = []
    /// How many were deleted.
    var deleted = 0
    var ofTag: [Int: Int] = [:]
    var ofIdentifier: [String: Int] = [:]
    /// The highest number of each opening of a journal: what is not above it comes too late.
    var taken: [JournalID: Int] = [:]
    /// What was interrupted and waits for its user, by the entries.
    var issues: [Int] = []
    var accounts: [Account]
    /// Who is in each family, the organiser first; nobody once it is over.
    var families: [[Int]] = []
    var shares: [Share] = []
    /// Those of all offers that ever came with an order.
    var nonces: Set<UUID> = []
    var devices: [Device]
    /// What every purchase fails with, nil for nothing; no store keeps it.
    var purchaseFailure: StoreFailure.Code?
    var prices = Prices()
    /// What could not be paid for gives access for a while.
    var grantsGrace = false
    /// How often a subscription renews at the most, nil for no limit.
    var renewalLimit: Int?
    /// The entries about whose going on in a new country running apps were asked, and until when they may think.
    var questions: (entries: Set<Int>, deadline: Date)

    init(now: Date, accounts: Int, devices: [Int]) {
        self.now = now
        questions = ([], now)
        self.accounts = Array(repeating: Account(), count: accounts)
        self.devices = devices.map { Device(account: $0, guests: [$0]) }
    }

    func entry(ofTag tag: Int) -> Entry? { ofTag[tag].map { entries[$0] } }
    func entry(named identifier: String) -> Entry? { ofIdentifier[identifier].map { entries[$0] } }
    func has(_ command: OrderID) -> Bool { command.number <= taken[command.journal, default: 0] }

    mutating func take(_ command: OrderID) -> Bool {
        if has(command) { return false }
        taken[command.journal] = command.number
        return true
    }

    /// Whether a device's queue has to show a live entry.
    func isVisible(_ entry: Entry, on device: Int) -> Bool {
        guard entry.isLive, entry.device == nil || entry.device == device else { return false }
        return entry.account == nil || entry.account == devices[device].account
    }
}

extension Model.Stage {
    init(_ state: StoreTransaction.State) {
        switch state {
        case .purchasing: self = .purchasing
        case .deferred: self = .deferred
        case .purchased: self = .purchased
        case .failed: self = .failed
        case .restored: self = .restored
        }
    }

    init(_ state: SKPaymentTransactionState) {
        switch state {
        case .purchasing: self = .purchasing
        case .purchased: self = .purchased
        case .failed: self = .failed
        case .restored: self = .restored
        case .deferred: self = .deferred
        @unknown default: self = .failed
        }
    }
}
