import StoreContract
import StoreCore

/// An operation in a simulated run.
///
/// Numbers of devices, accounts, transactions and undecided orders wrap around: every operation is meaningful in every
/// run, so that a list of operations stays valid when some are taken out.
package enum SimulatedOperation: Hashable, Sendable {
    /// The app on a device adds a payment.
    case add(device: Int, product: Product, quantity: Int)
    /// The app on a device finishes one of the decided transactions in its queue.
    case finish(device: Int, index: Int)
    /// The app on a device buys by Store Kit 2, in a task that waits for the outcome.
    case purchase(device: Int, product: Product, quantity: Int)
    /// The app on a device finishes one of Store Kit 2's unfinished transactions.
    case finishUnfinished(device: Int, index: Int)
    /// The app on a device begins to iterate over Store Kit 2's updates, and finishes each or none.
    case listenForUpdates(device: Int, finishes: Bool)
    /// The app on a device ceases to take further updates in all of its iterations, or goes on.
    case pauseUpdates(device: Int, Bool)
    /// The app on a device cancels one of its tasks that wait.
    case cancelTask(device: Int, index: Int)
    /// The app on a device restores purchases.
    case restore(device: Int)
    /// An approver approves one of the orders that wait for a decision.
    case approve(index: Int)
    /// The user cancels one of them.
    case cancel(index: Int)
    /// An approver declines one of them.
    case decline(index: Int)
    /// Time passes.
    case advance(days: Int)
    /// The app on a device adds its observer.
    case addObserver(device: Int)
    /// The app on a device removes its observer.
    case removeObserver(device: Int)
    /// An account signs in on a device.
    case signIn(device: Int, account: Int)
    /// The user signed in on a device signs out.
    case signOut(device: Int)
    /// Auto-renewal of an account's subscription is turned on or off.
    case setAutoRenew(account: Int, on: Bool)
    /// Ask to Buy is turned on or off for all that an account orders from now on.
    case askToBuy(account: Int, on: Bool)
    /// Interruption of an account's orders is turned on or off.
    case interruptPurchases(account: Int, on: Bool)
    /// The user resolves the issue of one of the interrupted purchases.
    case resolveIssue(index: Int)
    /// An account buys a product without an app's order.
    case buy(account: Int, product: Product, quantity: Int)
    /// The user of a device begins a promoted purchase in the store.
    ///
    /// Its app takes it at once, or keeps it; the same holds for later ones.
    case promote(device: Int, product: Product, isTaken: Bool)
    /// The app on a device adds a promoted payment that it kept.
    case addKept(device: Int)
    /// The store's country changes. From then on the apps answer whether pending purchases go on there.
    case setStorefront(Country, continues: Bool)
    /// Failure of every purchase is turned on or off.
    case failPurchases(Bool)
    /// Failure of an account's renewals is turned on or off.
    case failBilling(account: Int, on: Bool)
    /// The grace period for unpaid renewals is turned on or off.
    case grantGracePeriod(Bool)
    /// A failed renewal of an account is paid.
    case resolveBilling(account: Int)
    /// An account is asked to consent to a higher price of its subscription.
    case askForConsent(account: Int)
    /// An account answers the question about its price.
    case answerConsent(account: Int, agrees: Bool)
    /// An account's subscription expires at once.
    case expire(account: Int)
    /// An account's subscription renews at once.
    case forceRenewal(account: Int)
    /// A product's price changes, except in countries with their own; subscribers are asked.
    case raisePrice(of: Product, to: Int)
    /// Subscriptions renew at most so often from now on, nil for no limit.
    case limitRenewals(to: Int?)
    /// A transaction that an app has heard of is refunded, counted from the latest one.
    case refund(index: Int)
    /// Half of the price of such a transaction is refunded.
    case refundHalf(index: Int)
    /// A transaction that an app has heard of is deleted, counted from the latest one.
    case deleteTransaction(index: Int)
    /// All transactions are deleted.
    case clearTransactions
    /// The app on a device pays with an offer for the subscription, signed well or badly.
    case addOffer(device: Int, offer: Offer, signature: Signature)
    /// An account redeems a code in the store itself.
    case redeem(account: Int, offer: Offer)
    /// The app on a device shows the code redemption sheet, in which the user enters an offer's code, or closes it.
    case presentCodeSheet(device: Int, offer: Offer?)
    /// An account takes a win-back offer in the store itself.
    case winBack(account: Int, offer: Offer)
    /// The app on a device refreshes its receipt.
    case refreshReceipt(device: Int, kind: ReceiptKind)
    /// The app on a device requests all products and their prices.
    case requestProducts(device: Int)
    /// The app on a device reads the country of its store.
    case readStorefront(device: Int)
    /// The app on a device sets the order of promoted products there.
    case orderPromotions(device: Int, products: [Product])
    /// The app on a device shows or hides a promoted product, nil for the store's default.
    case setPromotion(device: Int, product: Product, isShown: Bool?)
    /// The app on a device reads its changes to promoted products.
    case readPromotions(device: Int)
    /// An account buys a year in monthly payments with a commitment, without an app's order.
    case commit(account: Int)
    /// An account pays for an item by a signed request.
    case charge(account: Int, cents: Int, repeats: Repetition)
    /// Something is requested about one of an account's generic subscriptions, or about one that is to become generic.
    case request(account: Int, Request, of: Group)
    /// A server refunds an item of a transaction that an app has heard of, counted from the latest one.
    case refundItem(index: Int, item: Item, Extent, revokes: Bool)
    /// One of an account's subscriptions outside of the club changes.
    case change(account: Int, group: Group, to: Change)
    /// The app on a device requests a token for purchases outside of the store.
    case requestToken(device: Int)
    /// The app on a device controls the downloads of one of its transactions.
    case download(device: Int, action: DownloadAction, index: Int)
    /// The next piece of a file that comes to a device fails.
    case failDownload(device: Int)
    /// An account founds a family.
    case foundFamily(account: Int)
    /// An account joins the newest family.
    case joinFamily(account: Int)
    /// An account leaves its family; with the organizer everybody does.
    case leaveFamily(account: Int)
    /// Sharing of an account's purchases is turned on or off.
    case sharePurchases(account: Int, on: Bool)
    /// A device's connection to the store is turned on or off.
    case reachable(device: Int, Bool)
    /// A fault hits the next message between a device's queue and the store at a point.
    case injectFault(device: Int, fault: FaultInjector.Fault, point: FaultInjector.Point)
    /// The messages held between a device's queue and the store are released.
    case release(device: Int)
    /// The app on a device is relaunched.
    case relaunch(device: Int)
    /// A process crashes after so many more boundaries; it is relaunched when the operation is over.
    case crash(after: Int, target: CrashTarget)

    /// A process that can crash.
    package enum CrashTarget: Hashable, Sendable {
        /// The app on a device.
        case app(Int)
        /// The store.
        case store
        /// The store and every app.
        case both
    }

    /// A country that the simulated store sells for.
    package enum Country: String, CaseIterable, Hashable, Sendable {
        /// Everything is sold.
        case usa = "USA"
        /// The sword and the upper level cost more, and `silver` and the season are not sold.
        case germany = "DEU"
        /// The game and the shield are not sold.
        case france = "FRA"
    }

    /// An offer of the simulated store.
    package enum Offer: String, CaseIterable, Hashable, Sendable {
        /// A promotional offer for current and former subscribers: two months of the upper level, each for half the
        /// price.
        case winter
        /// A promotional offer for the same: a month of the upper level, which is a bargain in Germany only.
        case dear
        /// An offer code for new subscribers: a month of the lower level for free, after the free week.
        case friends
        /// An offer code, redeemable once, for all others: three months of the upper level for half the price.
        case encore
        /// A win-back offer: a month of the upper level for free.
        case comeback
        /// An offer that does not exist.
        case ghost
    }

    /// A receipt that an app requests.
    package enum ReceiptKind: String, CaseIterable, Hashable, Sendable {
        /// A plain receipt.
        case plain
        /// An expired receipt.
        case expired
        /// A revoked receipt.
        case revoked
        /// A volume purchase receipt.
        case volume
    }

    /// An operation on downloads.
    package enum DownloadAction: String, CaseIterable, Hashable, Sendable {
        /// Begins, or goes on after a failure.
        case start
        /// Pauses.
        case pause
        /// Resumes.
        case resume
        /// Cancels.
        case cancel
    }

    /// The validity of an offer's signature.
    package enum Signature: String, CaseIterable, Hashable, Sendable {
        /// A valid signature.
        case sound
        /// No signature.
        case missing
        /// A signature with a key that the store does not know.
        case strange
        /// A signature that is more than a day old.
        case late
        /// A signature with the nonce of another payment.
        case used
        /// A signature for another user.
        case forged
    }

    /// A product of the simulated store, or one that it does not sell.
    package enum Product: String, CaseIterable, Hashable, Sendable {
        /// A consumable.
        case sword
        /// A consumable that needs approval.
        case gift
        /// A consumable that the user takes time over, in runs where users are asked.
        case shield
        /// A non-consumable that families share, with a hosted file.
        case game
        /// A non-renewing subscription.
        case season
        /// The subscription's lower level, a month with a free week before it; families share it.
        case basic
        /// The subscription's upper level, a month; families share it.
        case gold
        /// The same level under another name, which is not shared.
        case silver
        /// A year's subscription in a group of its own, which is paid up front or monthly.
        case journal
        /// A subscription that the bundle includes, a month.
        case films
        /// Another one.
        case songs
        /// A bundle of subscriptions, a month.
        case bundle
        /// The generic consumable, which is sold by signed requests.
        case generic
        /// The generic subscription.
        case pass
        /// A product that is not sold.
        case ghost

        /// The products that operations are drawn for, unless they name others.
        static let drawn: [Self] = [.sword, .gift, .shield, .game, .season, .basic, .gold, .silver, .ghost]
    }

    /// A subscription group.
    package enum Group: String, CaseIterable, Hashable, Sendable {
        /// The group of most operations, with offers and several levels.
        case club
        /// A year, with a plan of monthly payments.
        case press
        /// The group of a subscription that the bundle includes.
        case films
        /// The group of another one.
        case songs
        /// The group of the bundle.
        case bundles
        /// The group of the generic subscription.
        case requests
        /// A second generic subscription, which is in the same group of the store.
        case extras
        /// A generic subscription that began in another group, and is in the same group of the store after that.
        case migrated

        /// The generic subscriptions of an account.
        static let generic: [Self] = [.requests, .extras, .migrated]

        /// The group's name in the store.
        var name: String { Self.generic.contains(self) ? Self.requests.rawValue : rawValue }
    }

    /// What a signed request repeats of the one before it.
    package enum Repetition: CaseIterable, Hashable, Sendable {
        /// Nothing.
        case none
        /// The nonce of its signature.
        case nonce
        /// The reference of the developer's server.
        case reference
    }

    /// A request about a generic subscription, by an app or by the developer's server.
    package enum Request: Hashable, Sendable {
        /// The subscription begins, or continues an ended one; the item may have an offer.
        case create(cents: Int, offer: ItemOffer?)
        /// An item is added, with which a period begins now; the item may have an offer.
        case add(cents: Int, offer: ItemOffer?)
        /// The added item is removed at the renewal.
        case remove
        /// The renewal is turned on, or an ended subscription begins again.
        case reactivate
        /// A server turns the renewal off.
        case cancel
        /// A server changes the first item's price at the renewal.
        case changePrice(cents: Int)
        /// A server ends the subscription with a refund.
        case revoke
        /// A server gives the first item another SKU, now or at the renewal.
        case rename(isImmediate: Bool)
        /// An app or a server changes texts or the tax code, now or at the renewal.
        case describe(Description, isImmediate: Bool, byServer: Bool)
        /// A server has the subscription of another group go on as a generic one.
        case migrate
    }

    /// An offer for an item.
    package enum ItemOffer: Hashable, Sendable {
        /// A period for free.
        case free
        /// Half of the price.
        case half(periods: Int)
    }

    /// What a request changes of a subscription's texts and tax code.
    package enum Description: CaseIterable, Hashable, Sendable {
        /// The name, which only a server can change alone.
        case name
        /// The name and the description.
        case texts
        /// The tax code.
        case taxCode
        /// The texts and the tax code.
        case all
    }

    /// An item of a generic product.
    package enum Item: CaseIterable, Hashable, Sendable {
        /// The item that a purchase began with.
        case base
        /// The item that was added to it.
        case more
    }

    /// The extent of an item's refund.
    package enum Extent: CaseIterable, Hashable, Sendable {
        /// All that was paid for it, and not refunded yet.
        case full
        /// Half of that.
        case half
        /// The share of the period that remains.
        case prorated
    }

    /// A change of a running subscription.
    package enum Change: CaseIterable, Hashable, Sendable {
        /// Auto-renewal is turned on.
        case renews
        /// Auto-renewal is turned off.
        case endsRenewal
        /// The period ends now, and the next begins.
        case renewsNow
        /// The subscription is over now.
        case expires
        /// A failed renewal is paid.
        case recovers
    }
}
