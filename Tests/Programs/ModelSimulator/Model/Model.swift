import Foundation
import StoreCore

/// A model of a store, in the plainest terms: it is told of arrivals, decisions and the time, and knows who owns what,
/// who has paid how much, and what each device's queue has to show.
///
/// It shares nothing with the store but the prices.
struct Model {
    static let deviceNames = SimulatedOperation.deviceNames
    static let accountNames = SimulatedOperation.accountNames

    typealias Product = SimulatedOperation.Product
    typealias Group = SimulatedOperation.Group

    enum Stage {
        case purchasing, deferred, purchased, failed, restored

        var isDecided: Bool { self != .purchasing && self != .deferred }
    }

    /// The origin of a transaction.
    enum Origin {
        case ordered, restored, renewed, resolved
        /// Bought without an app's order.
        case elsewhere
        /// Bought by another member of the family.
        case shared
    }

    /// A token for purchases outside of the store.
    struct Token {
        let account: Int
        let device: Int
    }

    /// A transaction.
    struct Entry {
        let origin: Origin
        /// The payment's number, nil for what no app ordered; a restored or resolved transaction has its original's.
        let tag: Int?
        /// The device that ordered or restored it, nil for what no app ordered.
        let device: Int?
        /// The account; nil if it was refused because nobody was signed in.
        let account: Int?
        let product: Product
        /// Its group, unless that is the product's.
        var slot: Group?
        var group: Group? { slot ?? product.group }
        let quantity: Int
        var stage: Stage
        /// Whether somebody else had to approve it.
        var neededApproval = false
        /// The reason that it failed.
        var failure: StoreFailure.Code?
        /// The entry that it restores, renews, or continues to share.
        var original: Int?
        /// The first transaction of its subscription, nil for that one itself.
        var beginning: Int?
        /// The date; of a renewal, the one on which it is due.
        var date: Date
        var identifier: String?
        /// The payment in cents; nil if nothing was sold.
        var charge: Int?
        /// The entry that its account had already and that answered it, so that nothing was sold.
        var answer: Int?
        /// Whether Store Kit 2 ordered it.
        var isStoreKit2 = false
        /// Whether its user had to do something first.
        var wasInterrupted = false
        /// The number of the subscription's period that it is for.
        var period: Int?
        /// Whether it was ordered in monthly payments.
        var isMonthly = false
        /// The requested items; none for what was bought without a request.
        var items: [SimulatedOperation.Item: SoldItem] = [:]
        /// The entry of the bundle's period that brought it, nil for what was bought by itself.
        var bundle: Int?
        /// The offer that it was paid with, nil for the usual price.
        var offer: SimulatedOperation.Offer?
        /// The start of its period, if it has items.
        var start: Date?
        /// The end of its period, and that period's deal; nil if it has none.
        var end: Date?
        var deal: SubscriptionModel.Deal?
        /// The date of the refund or the end of sharing.
        var cancellation: Date?
        /// The sum refunded, in tenths of a cent.
        var refund = 0
        var isRefunded: Bool { cancellation != nil }
        var isLive = true
        /// Whether the store's operator has deleted it.
        var isDeleted = false
    }

    /// An item of a transaction.
    struct SoldItem {
        var sku: String
        /// The price and the sum refunded, in tenths of a cent.
        let paid: Int
        var refunded = 0
        var isRevoked = false
    }

    struct Account {
        /// The sum charged, in cents.
        var charged = 0
        /// The sum refunded, in tenths of a cent.
        var refunded = 0
        var ownsGame = false
        /// Whether the game was bought in the current change.
        var hasNewGame = false
        /// Whether its family may use what it buys.
        var sharesPurchases = true
        /// The purchases that can be restored once they are finished, by the entries.
        var history: [Int] = []
        var subscriptions: [Group: SubscriptionModel] = [:]
        /// The subscription in the club.
        var subscription: SubscriptionModel? {
            get { subscriptions[.club] }
            set { subscriptions[.club] = newValue }
        }
        /// The offers that it had without an app's order.
        var redeemed: Set<SimulatedOperation.Offer> = []
        /// Whether its orders need approval.
        var asksToBuy = false
        /// Whether its renewals fail.
        var billingFails = false
        /// Whether its orders are interrupted.
        var isInterrupted = false
        /// Whether any app of its devices can hear of it.
        var isHeard = true
    }

    struct Device {
        var account: Int?
        /// The accounts that were ever signed in.
        var guests: Set<Int>
        /// The number of promoted purchases begun on the device.
        var promotions: [Product: Int] = [:]
        /// The promotion order and visibility that its app has set.
        var promotionOrder: [Product] = []
        var promotionVisibility: [Product: Bool] = [:]
        var hidesOtherPromotions = false
        /// Whether something came to it that puts a receipt there.
        var hasReceipt = false
        /// The kind of its receipt, and the date of that.
        var receiptKind = SimulatedOperation.ReceiptKind.plain
        var refreshDate: Date?
        /// The ends of access that its app has to hear of, by account.
        var revocations: [Int: [Product: Int]] = [:]
    }

    var now: Date
    var entries: [Entry] = []
    var live: [Int] = []
    /// The number of deleted entries.
    var deleted = 0
    var ofTag: [Int: Int] = [:]
    var ofIdentifier: [String: Int] = [:]
    /// The highest number taken of each opening of a journal: commands at or below it come too late.
    var taken: [JournalID: Int] = [:]
    /// The interrupted purchases that wait for their user, by the entries.
    var issues: [Int] = []
    /// The tokens for purchases outside of the store, oldest first.
    var tokens: [Token] = []
    var accounts: [Account]
    /// The members of each family, the organizer first; empty once it is over.
    var families: [[Int]] = []
    var shares: [Share] = []
    /// The nonces of all offers that ever came with an order.
    var nonces: Set<UUID> = []
    /// The references of all requests that were fulfilled.
    var references: Set<UUID> = []
    var devices: [Device]
    /// The failure of every purchase, nil for none; no store keeps it.
    var purchaseFailure: StoreFailure.Code?
    var prices = Prices()
    /// Whether a failed renewal gives access during a grace period.
    var grantsGrace = false
    /// The maximum number of a subscription's renewals, nil for no limit.
    var renewalLimit: Int?
    /// The length of every subscription period in seconds, nil where they follow the calendar.
    var periodLength: TimeInterval?
    /// The entries whose continuation in a new country running apps were asked about, and the deadline of their
    /// answers.
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

extension SimulatedOperation.Product {
    /// The subscription group, nil for what is no auto-renewable subscription.
    var group: SimulatedOperation.Group? {
        switch self {
        case .basic, .gold, .silver: .club
        case .journal: .press
        case .films: .films
        case .songs: .songs
        case .bundle: .bundles
        case .pass: .requests
        case .sword, .gift, .shield, .game, .season, .generic, .ghost: nil
        }
    }

    /// The length of a period in months.
    var months: Int { self == .journal ? 12 : 1 }
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
