import Foundation
import StoreCore

/// The judge of an app: compares what the app has delivered and allows with the store's sales.
final class AppJudge {
    /// The occasion of a check.
    enum Moment {
        /// Between two steps.
        case step
        /// When all work is done, before another launch.
        case whileRunning
        /// At the end, for a user other than the last.
        case anotherUser
        case end
    }

    private let setup: AppSimulationSetup
    private let store: SandboxStore
    private let user: AppUser
    private let reader: TransactionReader
    /// The store's transactions at the last reading.
    private(set) var transactions: [SandboxTransaction] = []
    /// The purchases of products that are counted, by the numbers of the claims.
    private var purchaseLists: [PurchaseList]
    /// The transactions sold before the store last began to sign wrongly; nil if it never has.
    private var trusted: Set<String>?
    /// What the app is shown.
    let shown: ShownTransactions
    /// The kinds of quirks that the store has had.
    var metQuirks: Set<StoreQuirk.Kind> = []
    /// The periods after which a subscription is expected to renew, by product.
    private var expectedRenewals: [String: ExpectedRenewal] = [:]
    /// Whether, since the last check, something has happened for which the app may have waited.
    var hasWaited = false

    init(_ setup: AppSimulationSetup, _ store: SandboxStore, _ user: AppUser) {
        self.setup = setup
        self.store = store
        self.user = user
        reader = TransactionReader(store)
        shown = ShownTransactions(remembers: setup.checksMoments)
        purchaseLists = Array(repeating: PurchaseList(), count: setup.claims.count)
    }

    /// The number of the store's records at the last reading.
    var position: Int { reader.position }

    /// Reads the store's transactions.
    func readTransactions() throws {
        // Releases the array, which the reader would otherwise copy before appending to it.
        transactions = []
        transactions = try reader.transactions()
    }

    /// Notes that the store is about to sign wrongly: only the earlier sales have valid signatures.
    func trustSales() { trusted = Set(transactions.filter(\.isSale).map(\.id)) }

    var hasSignedWrongly: Bool { trusted != nil }

    /// Whether a sale was signed correctly, or the store signs correctly again.
    private func isTrusted(_ transaction: String) -> Bool {
        guard let trusted else { return true }
        return trusted.contains(transaction) || store.signatureDefect == nil
    }

    /// The unfinished transactions of the device's user, as of the last reading of the store.
    func unfinished() throws -> [SandboxTransaction] {
        // The device is queried only if a transaction is unfinished, since the query reads the whole ledger.
        try transactions.contains { !$0.isFinished } ? user.current.device.unfinished : []
    }

    /// Checks that the device's user has no unfinished transactions.
    func checkUnfinished(_ step: Int) throws {
        try readTransactions()
        guard let left = try unfinished().first else { return }
        let state =
            switch left.state {
            case .purchasing, .deferred: "is still under way"
            case .purchased: "is paid for and never finished"
            case .restored: "is restored and never finished"
            case .failed: "has failed and is never finished"
            }
        let sentence = "a transaction of \(left.productIdentifier) \(state)"
        throw AppViolation("unfinished", sentence: sentence, step: step)
    }

    /// Compares the number that an app reports as delivered with the number that was paid for.
    func compare(
        _ held: Int,
        of product: String,
        _ claim: Int,
        _ shown: ShownTransactions.Interval,
        _ moment: Moment
    ) -> String? {
        let purchases = user.deliverable(sales(of: product, claim))
        var (paid, refunded, due) = (0, 0, 0)
        for purchase in purchases {
            paid += purchase.quantity
            if purchase.isRefunded { refunded += purchase.quantity } else if purchase.isDue { due += purchase.quantity }
        }
        if setup.isVerified, held <= paid {
            let trusted = purchases.reduce(0) { $0 + (isTrusted($1.id) ? $1.quantity : 0) }
            if held > trusted { return "\(held) delivered, of which only \(trusted) had a signature to trust" }
        }
        if held > paid {
            return "\(held) delivered, and only \(paid) paid for\(user.second == nil ? "" : " on this device")"
        }
        let most = user.current.trackers[claim].explain(held, of: purchases, shown, of: product, isLate: hasWaited)
        if let most, held > most {
            return "\(held) delivered, for only \(most) of the \(paid) paid for: some again, and others never"
        }
        guard moment == .end || moment == .whileRunning else { return nil }
        let mustReturn = moment == .end && setup.isTakenBack
        if mustReturn, held > paid - refunded { return "\(held) kept, although \(refunded) of \(paid) were refunded" }
        let when = moment == .end ? "" : " before another launch"
        if held < due { return "\(user.second == nil ? paid : due) paid for, and only \(held) delivered\(when)" }
        if !user.current.trackers[claim].canBe(purchases, isTakenBack: mustReturn) {
            return "\(held) delivered, and one that was paid for is not among them\(when)"
        }
        return nil
    }

    /// Compares the deliveries that an app reports for each transaction with what was paid for.
    func compare(_ deliveries: [String: Int], of product: String, _ claim: Int, _ moment: Moment) -> String? {
        var left = deliveries.filter { $0.value != 0 }
        for sale in user.deliverable(sales(of: product, claim)) {
            let held = left.removeValue(forKey: sale.id) ?? 0
            let name = "transaction \(sale.id)"
            if held > sale.quantity { return "\(held) delivered for \(name), and only \(sale.quantity) paid for" }
            if setup.isVerified, held > 0, !isTrusted(sale.id) {
                return "\(held) delivered for \(name), whose signature cannot be trusted"
            }
            guard moment == .end || moment == .whileRunning else { continue }
            if !sale.isRefunded {
                guard sale.isDue else { continue }
                let when = moment == .end ? "" : " before another launch"
                if held < sale.quantity {
                    return "\(sale.quantity) paid for in \(name), and only \(held) delivered\(when)"
                }
            } else if moment == .end, setup.isTakenBack, held > 0 {
                return "\(held) kept of \(name), although it was refunded"
            }
        }
        guard let other = left.min(by: { $0.key < $1.key }) else { return nil }
        let reason = user.hasHome(other.key) ? "which was finished on another device" : "in which nothing was paid for"
        return "\(other.value) delivered for transaction \(other.key), \(reason)"
    }

    /// The purchases of a product by the users of the devices.
    private func sales(of product: String, _ claim: Int) -> [DeliveryTracker.Purchase] {
        purchaseLists[claim].update(of: product, from: transactions)
        return purchaseLists[claim].purchases
    }

    /// Checks that purchases that may be delivered on either device were delivered on one of them.
    func checkBothDevices(_ step: Int) throws {
        guard let second = user.second else { return }
        for (index, claim) in setup.claims.enumerated() {
            let sentence: String?
            switch (claim, user.first.deliveries[index], second.deliveries[index]) {
            case (.holds(let product, _), .count(let here)?, .count(let there)?):
                let owed = sales(of: product, index).reduce(0) { $1.isRefunded ? $0 : $0 + $1.quantity }
                sentence =
                    here + there < owed
                    ? "\(product): \(owed) paid for, and only \(here + there) delivered on both devices" : nil
            case (.delivers(let product, _), .byTransaction(let here)?, .byTransaction(let there)?):
                let lost = sales(of: product, index).first {
                    !$0.isRefunded && max(here[$0.id, default: 0], there[$0.id, default: 0]) < $0.quantity
                }
                sentence = lost.map {
                    "\(product): \($0.quantity) paid for in transaction \($0.id), and not delivered on either device"
                }
            default: sentence = nil
            }
            if let sentence { throw AppViolation("claim \(index)", sentence: sentence, step: step) }
        }
    }

    /// Compares the access that an app gives to a product with the user's entitlement.
    func compare(_ isAllowed: Bool, with product: String) -> String? {
        let isEntitled = user.current.device.account?.entitlements.contains { $0.productIdentifier == product } ?? false
        if isAllowed == isEntitled { return nil }
        if isEntitled { return "\(product): the user is entitled to it, and has no access" }
        if isRenewedInBillingRetry(product) { return nil }
        let isRefunded = isRefunded(product)
        if isRefunded, !setup.isTakenBack { return nil }
        return
            "\(product): the user has access\(isRefunded ? ", although it was refunded" : ", and is not entitled to it")"
    }

    /// Whether the store may have shown a renewal that was not paid for, as with the quirk `renewsInBillingRetry`.
    private func isRenewedInBillingRetry(_ product: String) -> Bool {
        guard metQuirks.contains(.renewsInBillingRetry), let account = user.current.device.account else { return false }
        // Without the unpaid renewal, the last period is over.
        let now = store.clock.now
        return account.subscriptions.contains {
            $0.productIdentifier == product && $0.state == .inBillingRetryPeriod && $0.expirationDate > now
        }
    }

    /// Whether the last purchase that gave the device's user access was refunded to its payer.
    private func isRefunded(_ product: String) -> Bool {
        let sales = transactions.filter { $0.productIdentifier == product && $0.isSale }
        guard let last = sales.last(where: { $0.account == user.current.device.account?.name }) else { return false }
        if let payer = last.sharedBy {
            return sales.last { $0.account == payer && $0.sharedBy == nil }?.refundedAmount != nil
        }
        return last.refundedAmount != nil
    }
}

// Access that an app must not deny for a moment.
extension AppJudge {
    /// A period at whose end a subscription is expected to renew.
    private struct ExpectedRenewal {
        let account: String
        let start: Date
        let end: Date
    }

    /// Forgets what the app was shown, because a launch begins or another user signs in.
    func forgetShown() {
        guard setup.checksMoments else { return }
        shown.forget()
        expectedRenewals = [:]
    }

    /// Returns the end of the next period of the device's user before a moment; nil if there is none.
    func nextPeriodEnd(before end: Date) -> Date? {
        let now = store.clock.now
        return user.current.device.account?.subscriptions.map(\.expirationDate).filter { $0 > now && $0 < end }.min()
    }

    /// Records the periods at whose end the subscriptions of the device's user are expected to renew.
    func noteRenewals() {
        guard setup.checksMoments, let account = user.current.device.account else { return }
        let now = store.clock.now
        for subscription in account.subscriptions where subscription.expirationDate > now {
            let renews =
                subscription.isRunning && subscription.renewsAs == subscription.productIdentifier
                && subscription.priceConsent != .pending && !account.billingFails
            expectedRenewals[subscription.productIdentifier] =
                renews
                ? ExpectedRenewal(
                    account: account.name,
                    start: subscription.periodStart,
                    end: subscription.expirationDate
                ) : nil
        }
    }

    /// Returns the reason why an app owes its user access now, as a clause; nil if it does not.
    func reasonForAccess(to product: String) -> String? {
        let device = user.current.device
        guard !hasSignedWrongly, device.isReachable, let account = device.account else { return nil }
        let start: Date
        let reason: String
        if let entitlement = account.entitlements.first(where: { $0.productIdentifier == product }) {
            (start, reason) = (entitlement.startDate, "the user is entitled to it and the app was shown so")
        } else if let renewal = expectedRenewals[product], renewal.account == account.name,
            store.clock.now >= renewal.end, store.clock.now < renewal.end + momentBeforeRenewals
        {
            (start, reason) = (renewal.start, "the subscription is about to renew")
        } else {
            return nil
        }
        let isKnown = transactions.contains {
            $0.productIdentifier == product && $0.isSale && $0.cancellationDate == nil && $0.account == account.name
                && $0.date >= start && shown.isKnown($0.id)
        }
        return isKnown ? reason : nil
    }

    /// The time for which a subscription that will renew looks expired, by the store's quirks.
    private var momentBeforeRenewals: TimeInterval {
        store.quirks.filter { $0.kind == .expiresForAMoment || $0.kind == .looksCanceledForAMoment }
            .compactMap(\.seconds).max() ?? 0
    }
}

/// A record of the purchases that an app was shown: an app can deliver or take back only purchases that it knows of.
final class ShownTransactions: Sendable {
    /// The purchases shown between two calls.
    struct Interval: Sendable {
        fileprivate(set) var transactions: Set<String> = []
        /// The products with a revocation that the app received.
        fileprivate(set) var revokedProducts: Set<String> = []
        /// Whether the app has read a receipt, which contains all purchases.
        fileprivate(set) var isEverything = false
    }

    private let interval = Locked(Interval())
    /// The purchases shown since ``forget()``.
    private let known = Locked<Set<String>>([])
    private let remembers: Bool

    /// - Parameter remembers: whether ``isKnown(_:)`` will be asked.
    init(remembers: Bool) { self.remembers = remembers }

    /// Whether a purchase was shown since ``forget()``.
    func isKnown(_ transaction: String) -> Bool { known.withLock { $0.contains(transaction) } }
    func forget() { known.withLock { $0 = [] } }

    /// Returns what was shown since the last call.
    func taken() -> Interval {
        interval.withLock { interval in
            defer { interval = Interval() }
            return interval
        }
    }

    func note(_ batch: UpdateBatch) {
        if remembers {
            let purchased = batch.updates.compactMap { update in
                if case .transaction(let transaction) = update, transaction.state == .purchased {
                    return transaction.identifier
                }
                return nil
            }
            known.withLock { $0.formUnion(purchased) }
        }
        interval.withLock { interval in
            for update in batch.updates {
                switch update {
                case .transaction(let transaction) where transaction.state == .purchased:
                    interval.transactions.insert(transaction.identifier)
                case .revoked(let products): interval.revokedProducts.formUnion(products)
                default: break
                }
            }
        }
    }

    func note(_ page: HistoryPage) {
        let listed = page.transactions.map(\.content.transactionId)
        if remembers { known.withLock { $0.formUnion(listed) } }
        interval.withLock { $0.transactions.formUnion(listed) }
    }

    func noteReceipt() { interval.withLock { $0.isEverything = true } }
}

/// The purchases of a product by the users of the devices.
///
/// The store's transactions are read after each step, and most of them have not changed: only those that can change are
/// checked again. No step deletes a transaction.
private struct PurchaseList {
    private(set) var purchases: [DeliveryTracker.Purchase] = []
    /// The index among the store's transactions of each purchase.
    private var indices: [Int] = []
    /// The indices of transactions that may become a purchase.
    private var undecided: [Int] = []
    /// The number of transactions that have been read.
    private var count = 0

    /// Applies the current state of a product's transactions.
    mutating func update(of product: String, from transactions: [SandboxTransaction]) {
        // In place, since copying a transaction is slower than reading all its properties.
        for (place, index) in indices.enumerated() {
            purchases[place].isFinished = transactions[index].isFinished
            purchases[place].isRefunded = transactions[index].cancellationDate != nil
        }
        let waiting = undecided
        undecided = []
        for index in waiting { add(index, of: transactions) }
        for index in count..<transactions.count
        where transactions[index].origin == .purchase && transactions[index].productIdentifier == product
            && transactions[index].account != AppStep.relativeName
        {
            add(index, of: transactions)
        }
        count = transactions.count
    }

    private mutating func add(_ index: Int, of transactions: [SandboxTransaction]) {
        switch transactions[index].state {
        case .failed, .restored: return
        case .purchasing, .deferred: return undecided.append(index)
        // An order for a product already held is no sale.
        case .purchased: if transactions[index].held != nil { return }
        }
        indices.append(index)
        purchases.append(
            DeliveryTracker.Purchase(
                id: transactions[index].id,
                place: purchases.count,
                quantity: transactions[index].quantity,
                isFinished: transactions[index].isFinished,
                isRefunded: transactions[index].cancellationDate != nil
            )
        )
    }
}
