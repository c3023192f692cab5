import StoreContract
import StoreCore

/// One thing that happens in a simulated life.
///
/// Numbers of devices, accounts, transactions and undecided orders wrap around: every step means something in every life, so
/// that a list of steps stays valid when some are taken out.
public enum Step: Hashable, Sendable {
    /// The app on a device adds a payment.
    case add(device: Int, product: Product, quantity: Int)
    /// The app on a device finishes one of the decided transactions that its queue lists.
    case finish(device: Int, index: Int)
    /// The app on a device asks for past purchases.
    case restore(device: Int)
    /// Somebody approves one of the orders that wait for a decision.
    case approve(index: Int)
    /// Somebody cancels one of them.
    case cancel(index: Int)
    /// Somebody declines one of them.
    case decline(index: Int)
    /// Time passes.
    case advance(days: Int)
    /// The app on a device adds its observer.
    case addObserver(device: Int)
    /// The app on a device removes its observer.
    case removeObserver(device: Int)
    /// An account signs in on a device.
    case signIn(device: Int, account: Int)
    /// Whoever is signed in on a device signs out.
    case signOut(device: Int)
    /// An account's owner turns the renewal of its subscription on or off.
    case setAutoRenew(account: Int, on: Bool)
    /// Somebody else is asked about all that an account orders from now on, or no longer.
    case askToBuy(account: Int, on: Bool)
    /// What an account orders is interrupted from now on, or no longer.
    case interruptPurchases(account: Int, on: Bool)
    /// The user does what one of the interrupted purchases waits for.
    case resolveIssue(index: Int)
    /// An account buys something without any app's order.
    case buy(account: Int, product: Product, quantity: Int)
    /// The user of a device begins a purchase on the store's own page. Its app takes it at once, or keeps it; and so with
    /// what it hears of later.
    case promote(device: Int, product: Product, isTaken: Bool)
    /// The app on a device adds a payment that it was offered and kept.
    case addKept(device: Int)
    /// The store sells for another country; from then on the apps say that what is under way goes on there, or not.
    case setStorefront(Country, continues: Bool)
    /// Every purchase fails from now on, or no longer.
    case failPurchases(Bool)
    /// No renewal of an account's can be paid for from now on, or all can again.
    case failBilling(account: Int, on: Bool)
    /// What could not be paid for gives access for a while from now on, or none.
    case grantGracePeriod(Bool)
    /// A renewal of an account's that could not be paid for is.
    case resolveBilling(account: Int)
    /// An account is asked to agree to a higher price of its subscription.
    case askForConsent(account: Int)
    /// It answers.
    case answerConsent(account: Int, agrees: Bool)
    /// An account's subscription ends at once.
    case expire(account: Int)
    /// An account's subscription renews at once.
    case forceRenewal(account: Int)
    /// A product costs so many cents from now on, but for the countries with a price of their own; subscribers are asked.
    case raisePrice(of: Product, to: Int)
    /// Subscriptions renew so often from now on and no more, nil for as often as they like.
    case limitRenewals(to: Int?)
    /// A transaction that somebody has heard of is paid back, counted from the latest one.
    case refund(index: Int)
    /// A transaction that somebody has heard of is made as if it had never been, counted from the latest one.
    case deleteTransaction(index: Int)
    /// All transactions are made as if they had never been.
    case clearTransactions
    /// The app on a device pays with an offer for the subscription, signed well or badly.
    case addOffer(device: Int, offer: Offer, signature: Signature)
    /// An account redeems a code in the store itself.
    case redeem(account: Int, offer: Offer)
    /// The app on a device shows the sheet for codes, in which the user types the one of an offer, or closes it.
    case presentCodeSheet(device: Int, offer: Offer?)
    /// An account takes an offer for those who have left in the store itself.
    case winBack(account: Int, offer: Offer)
    /// The app on a device has its receipt brought up to date.
    case refreshReceipt(device: Int, kind: ReceiptKind)
    /// The app on a device asks what everything costs, and what there is.
    case requestProducts(device: Int)
    /// The app on a device reads for which country its store sells.
    case readStorefront(device: Int)
    /// The app on a device puts some products first on the store's own page there.
    case orderPromotions(device: Int, products: [Product])
    /// The app on a device shows or hides a product on that page, nil for as the store has it.
    case setPromotion(device: Int, product: Product, isShown: Bool?)
    /// The app on a device reads what it has changed on that page.
    case readPromotions(device: Int)
    /// The app on a device asks something of the files that the store keeps for one of its transactions.
    case download(device: Int, act: DownloadAct, index: Int)
    /// The next piece of a file that comes to a device fails.
    case failDownload(device: Int)
    /// An account organises a family.
    case foundFamily(account: Int)
    /// An account joins the newest family.
    case joinFamily(account: Int)
    /// An account leaves its family; with the organiser everybody does.
    case leaveFamily(account: Int)
    /// An account shares what it buys from now on, or nothing any more.
    case sharePurchases(account: Int, on: Bool)
    /// A device loses the store, or has it again.
    case reachable(device: Int, Bool)
    /// The next thing that passes between a device's queue and the store at a point is spoilt.
    case spoil(device: Int, act: FaultInjector.Act, point: FaultInjector.Point)
    /// What is held on the way between a device's queue and the store is let go.
    case release(device: Int)
    /// The app on a device is launched anew.
    case relaunch(device: Int)
    /// After so many boundaries more have been passed, somebody dies; they are back when the step is over.
    case die(after: Int, who: Mortal)

    /// Who can die.
    public enum Mortal: Hashable, Sendable {
        /// The app on a device.
        case app(Int)
        /// The store.
        case store
        /// The store and every app.
        case both
    }

    /// What the simulated store sells for.
    public enum Country: String, CaseIterable, Hashable, Sendable {
        /// Everything is sold.
        case usa = "USA"
        /// The sword and the upper level cost more, and `silver` and the season are not sold.
        case germany = "DEU"
        /// The game and the shield are not sold.
        case france = "FRA"
    }

    /// What the simulated store has for less.
    public enum Offer: String, CaseIterable, Hashable, Sendable {
        /// For who is or was subscribed: two months of the upper level, each for half the price.
        case winter
        /// For the same: a month of the upper level, which is a bargain in Germany only.
        case dear
        /// Behind a code, for new subscribers: a month of the lower level for free, after the week.
        case friends
        /// Behind a code, once, for all others: three months of the upper level for half the price.
        case encore
        /// For those who have left: a month of the upper level for free.
        case comeback
        /// None that there is.
        case ghost
    }

    /// What an app would like its receipt to say of itself.
    public enum ReceiptKind: String, CaseIterable, Hashable, Sendable {
        /// Nothing.
        case plain
        /// That it has expired.
        case expired
        /// That it was revoked.
        case revoked
        /// That it belongs to a volume purchase.
        case volume
    }

    /// What an app asks of its downloads.
    public enum DownloadAct: String, CaseIterable, Hashable, Sendable {
        /// To begin, or to go on after a failure.
        case start
        /// To rest.
        case pause
        /// To go on.
        case resume
        /// To be forgotten.
        case cancel
    }

    /// How an offer is signed.
    public enum Signature: String, CaseIterable, Hashable, Sendable {
        /// Well.
        case sound
        /// Not at all.
        case missing
        /// With a key that the store does not know.
        case strange
        /// More than a day ago.
        case late
        /// With the nonce of another payment.
        case used
        /// For somebody else.
        case forged
    }

    /// What the simulated store sells, and what it does not.
    public enum Product: String, CaseIterable, Hashable, Sendable {
        /// A consumable.
        case sword
        /// A consumable, about which somebody else has to be asked.
        case gift
        /// A consumable that the user takes time over, in lives where users are asked.
        case shield
        /// A non-consumable that families share, with a file that the store keeps.
        case game
        /// A non-renewing subscription.
        case season
        /// The subscription's lower level, a month with a week for free before it; families share it.
        case basic
        /// The subscription's upper level, a month; families share it.
        case gold
        /// The same level under another name, which nobody shares.
        case silver
        /// Not on sale.
        case ghost
    }
}

extension Step: CustomStringConvertible {
    /// The step as it is written in Swift.
    public var description: String {
        switch self {
        case .add(let device, let product, let quantity):
            ".add(device: \(device), product: .\(product), quantity: \(quantity))"
        case .finish(let device, let index): ".finish(device: \(device), index: \(index))"
        case .restore(let device): ".restore(device: \(device))"
        case .approve(let index): ".approve(index: \(index))"
        case .cancel(let index): ".cancel(index: \(index))"
        case .decline(let index): ".decline(index: \(index))"
        case .advance(let days): ".advance(days: \(days))"
        case .addObserver(let device): ".addObserver(device: \(device))"
        case .removeObserver(let device): ".removeObserver(device: \(device))"
        case .signIn(let device, let account): ".signIn(device: \(device), account: \(account))"
        case .signOut(let device): ".signOut(device: \(device))"
        case .setAutoRenew(let account, let isOn): ".setAutoRenew(account: \(account), on: \(isOn))"
        case .askToBuy(let account, let isOn): ".askToBuy(account: \(account), on: \(isOn))"
        case .interruptPurchases(let account, let isOn): ".interruptPurchases(account: \(account), on: \(isOn))"
        case .resolveIssue(let index): ".resolveIssue(index: \(index))"
        case .buy(let account, let product, let quantity):
            ".buy(account: \(account), product: .\(product), quantity: \(quantity))"
        case .promote(let device, let product, let isTaken):
            ".promote(device: \(device), product: .\(product), isTaken: \(isTaken))"
        case .addKept(let device): ".addKept(device: \(device))"
        case .setStorefront(let country, let continues): ".setStorefront(.\(country), continues: \(continues))"
        case .failPurchases(let isOn): ".failPurchases(\(isOn))"
        case .failBilling(let account, let isOn): ".failBilling(account: \(account), on: \(isOn))"
        case .grantGracePeriod(let isOn): ".grantGracePeriod(\(isOn))"
        case .resolveBilling(let account): ".resolveBilling(account: \(account))"
        case .askForConsent(let account): ".askForConsent(account: \(account))"
        case .answerConsent(let account, let agrees): ".answerConsent(account: \(account), agrees: \(agrees))"
        case .expire(let account): ".expire(account: \(account))"
        case .forceRenewal(let account): ".forceRenewal(account: \(account))"
        case .raisePrice(let product, let cents): ".raisePrice(of: .\(product), to: \(cents))"
        case .limitRenewals(let limit): ".limitRenewals(to: \(limit.map { "\($0)" } ?? "nil"))"
        case .refund(let index): ".refund(index: \(index))"
        case .deleteTransaction(let index): ".deleteTransaction(index: \(index))"
        case .clearTransactions: ".clearTransactions"
        case .addOffer(let device, let offer, let signature):
            ".addOffer(device: \(device), offer: .\(offer), signature: .\(signature))"
        case .redeem(let account, let offer): ".redeem(account: \(account), offer: .\(offer))"
        case .presentCodeSheet(let device, let offer):
            ".presentCodeSheet(device: \(device), offer: \(offer.map { ".\($0)" } ?? "nil"))"
        case .winBack(let account, let offer): ".winBack(account: \(account), offer: .\(offer))"
        case .refreshReceipt(let device, let kind): ".refreshReceipt(device: \(device), kind: .\(kind))"
        case .requestProducts(let device): ".requestProducts(device: \(device))"
        case .readStorefront(let device): ".readStorefront(device: \(device))"
        case .orderPromotions(let device, let products):
            ".orderPromotions(device: \(device), products: [\(products.map { ".\($0)" }.joined(separator: ", "))])"
        case .setPromotion(let device, let product, let isShown):
            ".setPromotion(device: \(device), product: .\(product), isShown: \(isShown.map { "\($0)" } ?? "nil"))"
        case .readPromotions(let device): ".readPromotions(device: \(device))"
        case .download(let device, let act, let index):
            ".download(device: \(device), act: .\(act), index: \(index))"
        case .failDownload(let device): ".failDownload(device: \(device))"
        case .foundFamily(let account): ".foundFamily(account: \(account))"
        case .joinFamily(let account): ".joinFamily(account: \(account))"
        case .leaveFamily(let account): ".leaveFamily(account: \(account))"
        case .sharePurchases(let account, let isOn): ".sharePurchases(account: \(account), on: \(isOn))"
        case .reachable(let device, let isReachable): ".reachable(device: \(device), \(isReachable))"
        case .spoil(let device, let act, let point):
            ".spoil(device: \(device), act: .\(act.written), point: .\(point.rawValue))"
        case .release(let device): ".release(device: \(device))"
        case .relaunch(let device): ".relaunch(device: \(device))"
        case .die(let count, .app(let device)): ".die(after: \(count), who: .app(\(device)))"
        case .die(let count, .store): ".die(after: \(count), who: .store)"
        case .die(let count, .both): ".die(after: \(count), who: .both)"
        }
    }
}

extension FaultInjector.Act {
    /// As in Swift, without the point.
    fileprivate var written: String {
        switch self {
        case .pass: "pass"
        case .drop: "drop"
        case .delay(let seconds): "delay(\(seconds))"
        case .duplicate: "duplicate"
        case .echo(let seconds): "echo(after: \(seconds))"
        case .reorder: "reorder"
        case .cut: "cut"
        case .loseAnswer: "loseAnswer"
        case .hold: "hold"
        case .fail(let failure): "fail(\(failure.written))"
        }
    }
}
