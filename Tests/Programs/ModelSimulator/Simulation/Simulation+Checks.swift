import Foundation
import StoreCore

// Checks that the store, the queues and the model agree.
extension Simulation {
    /// Returns the violation, nil if there is none.
    ///
    /// The apps' views are checked when nothing is in flight.
    func check() -> String? {
        if let violation = eventLog.violation { return violation }
        modelDriver.model.advance(to: clock.now)
        let lines = settle()
        if let violation = eventLog.violation ?? endpoints.lazy.compactMap(\.violation).first { return violation }
        if let violation = checkOperator() ?? checkPrices() ?? checkPurchases() { return violation }
        // What crashes while the run settles is launched after the next operation.
        guard lines.count == waitingForOperator + waitingForClock, !crashInjector.hasCrashedProcess else { return nil }
        if let violation = checkRequests() { return violation }
        for device in apps.indices where isFollowed(device) && modelDriver.isReachable[device] {
            if let violation = checkQueue(of: device) ?? checkTasks(of: device) { return violation }
        }
        return eventLog.violation
    }

    /// Settles, and returns what waits for an outside event.
    func settle() -> [String] { pauses.activity.settle() + store.settle() }

    private func checkOperator() -> String? {
        guard disk.head != checkedRecords else { return nil }
        checkedRecords = disk.head
        if let violation = checkNames() ?? checkPromotions() ?? checkTokens() { return violation }
        let undecided = store.undecidedRequests.compactMap { PaymentTag.number(in: $0.applicationUsername) }
        if undecided != modelDriver.model.undecided {
            return "payments \(undecided) wait for a decision, and should be \(modelDriver.model.undecided)"
        }
        let issues = store.interruptedPurchases
        let isRight = issues.elementsEqual(modelDriver.model.issues) { issue, index in
            let entry = modelDriver.model.entries[index]
            return issue.productIdentifier == entry.product.rawValue && issue.quantity == entry.quantity
        }
        if !isRight {
            return "the purchases \(issues) wait for their users, and should be the entries \(modelDriver.model.issues)"
        }
        for (index, expected) in modelDriver.model.accounts.enumerated() {
            guard let account = store.account(named: Model.accountNames[index]) else {
                return "the store has lost account \(index)"
            }
            let cents = Decimal(sign: .plus, exponent: -2, significand: Decimal(expected.charged))
            guard let charged = try? account.totalCharged, charged == cents else {
                let charged = (try? account.totalCharged).map { "\($0)" } ?? "an unknown sum"
                return "account \(index) was charged \(charged), and should have been \(cents)"
            }
            let entitlements = account.entitlements
            let uses = Set(entitlements.map(Model.Use.init))
            let right = modelDriver.model.uses(of: index)
            if entitlements.count != right.count || uses != Set(right) {
                // In the same order in every process.
                let (all, allRight) = (entitlements.map { "\($0)" }.sorted(), right.map { "\($0)" }.sorted())
                return "account \(index) may use \(all), and should use \(allRight)"
            }
            for group in Model.Group.allCases {
                if let violation = checkSubscription(of: account, index, in: group) { return violation }
            }
        }
        return nil
    }

    /// Checks that the store has exactly the accounts that the model knows.
    private func checkNames() -> String? {
        let accounts = store.accounts.map(\.name)
        if accounts != Model.accountNames {
            return "the store has the accounts \(accounts), and should have \(Model.accountNames)"
        }
        let devices = store.devices.map(\.name)
        if devices != Model.deviceNames {
            return "the store has the devices \(devices), and should have \(Model.deviceNames)"
        }
        let families = store.families.map { $0.members.map(\.name) }
        let right = modelDriver.model.families.map { $0.map { Model.accountNames[$0] } }
        return families == right ? nil : "the store has the families \(families), and should have \(right)"
    }

    /// Checks whether a subscription's user has been asked about its price, which payments of a commitment remain, and why
    /// it is over if it is.
    private func checkSubscription(of account: SandboxAccount, _ index: Int, in group: Model.Group) -> String? {
        let subscription = storedSubscription(of: account, index, in: group)
        guard let expected = modelDriver.model.accounts[index].subscriptions[group] else {
            return subscription == nil ? nil : "account \(index) has a subscription, and should have none"
        }
        let consent = subscription?.priceConsent
        if consent != expected.consent {
            return
                "account \(index) is asked about a price: \(consent as Any), and should be: \(expected.consent as Any)"
        }
        let bundle = expected.isBundled ? Model.Product.bundle.rawValue : nil
        if expected.isRunning, subscription?.bundleProductIdentifier != bundle {
            let found = subscription?.bundleProductIdentifier
            return "account \(index) has \(group) in the bundle \(found as Any), and should in \(bundle as Any)"
        }
        if let subscription, expected.isRunning, hasGenericSubscriptions(index),
            let violation = checkItems(of: account, subscription, expected)
        {
            return violation
        }
        if expected.isRunning { return checkCommitment(subscription?.commitment, expected, of: index) }
        let ending = subscription?.expirationReason
        if ending == expected.ending { return nil }
        return
            "the subscription of account \(index) ended with \(ending as Any), and should with \(expected.ending as Any)"
    }

    /// Checks the place of a running period in its commitment, and what follows the commitment.
    private func checkCommitment(
        _ commitment: SandboxSubscription.Commitment?,
        _ expected: SubscriptionModel,
        of account: Int
    ) -> String? {
        let right = expected.commitment.map {
            "payment \($0.number) of 12, until \($0.end), renews: \(expected.willRenew)"
        }
        let found = commitment.map {
            "payment \($0.billingPeriodNumber) of \($0.totalBillingPeriods), until \($0.expirationDate), "
                + "renews: \($0.willRenew)"
        }
        if found == right { return nil }
        return "account \(account) is committed to \(found ?? "nothing"), and should be to \(right ?? "nothing")"
    }

    /// Checks the refunds against the model.
    func checkRefunds() -> String? {
        for (index, expected) in modelDriver.model.accounts.enumerated() {
            guard let account = store.account(named: Model.accountNames[index]) else {
                return "the store has lost account \(index)"
            }
            let amount = Decimal(sign: .plus, exponent: -3, significand: Decimal(expected.refunded))
            guard let refunded = try? account.totalRefunded, refunded == amount else {
                let refunded = (try? account.totalRefunded).map { "\($0)" } ?? "an unknown sum"
                return "account \(index) was paid back \(refunded), and should have been \(amount)"
            }
        }
        return nil
    }

    /// Checks the prices that apps read against the model.
    private func checkPrices() -> String? {
        let prices = modelDriver.model.prices
        guard prices != checkedPrices, let device = apps.indices.first(where: { modelDriver.isReachable[$0] }) else {
            return nil
        }
        checkedPrices = prices
        let found = ProductListing()
        endpoints[device].lookUp(Set(SimulatedOperation.Product.allCases.map(\.rawValue))) {
            found.products = try? $0.get().products
        }
        let right = SimulatedOperation.Product.allCases.filter { $0 != .ghost && prices.isSold($0) }.map {
            "\($0) for \(Decimal(sign: .plus, exponent: -2, significand: Decimal(prices[$0])))"
        }
        let read = found.products?.map { "\($0.identifier) for \($0.price)" } ?? []
        if Set(read) == Set(right) { return nil }
        return "device \(device) reads \(read), and should \(right)"
    }

    private func checkQueue(of device: Int) -> String? {
        let model = modelDriver.model
        var expected = 0
        for index in model.live where model.isVisible(model.entries[index], on: device) { expected += 1 }
        let transactions = apps[device].queue.transactions
        var listed = 0
        for transaction in transactions {
            let name = eventLog.name(transaction)
            let entry: Model.Entry? =
                switch name {
                case .payment(let tag): model.entry(ofTag: tag)
                case .transaction(let identifier): model.entry(named: identifier)
                }
            if let entry, isSomebodyElses(entry, transaction, on: device) { continue }
            listed += 1
            guard let entry, model.isVisible(entry, on: device) else {
                return "the queue of device \(device) lists \(name), which should not be there"
            }
            if entry.stage != Model.Stage(transaction.transactionState) {
                return "the queue of device \(device) lists \(name) as \(Model.Stage(transaction.transactionState)), "
                    + "and it should be \(entry.stage)"
            }
        }
        guard listed == expected else {
            return "the queue of device \(device) lists \(listed) transactions, and should \(expected)"
        }
        for (product, count) in model.devices[device].promotions.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let offers = eventLog.offers[device][product, default: 0]
            if offers < count { return "device \(device) was offered \(product) \(offers) times, and should \(count)" }
        }
        for (product, count) in model.revocations(on: device).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let heard = model.devices[device].account.flatMap { eventLog.revocations[device][$0]?[product] } ?? 0
            if heard < count {
                return "device \(device) heard \(heard) times that \(product) is revoked, and should \(count)"
            }
        }
        if eventLog.owedRestores[device] > 0 {
            return "nothing is on its way, and a restore on device \(device) has not ended"
        }
        return nil
    }

    /// Whether a transaction legitimately stays purchasing.
    ///
    /// A payment whose answer was lost, and whose user had signed out when it was sent again, stays purchasing until
    /// that user signs in: nobody may be told what became of it meanwhile.
    ///
    /// One that was deleted before its queue heard that it was taken, because its app crashed or its connection was
    /// held up, does not matter to anybody: its queue goes on waiting.
    private func isSomebodyElses(_ entry: Model.Entry, _ transaction: SKPaymentTransaction, on device: Int) -> Bool {
        guard entry.device == device, transaction.transactionState == .purchasing else { return false }
        if entry.isDeleted { return true }
        return entry.isLive && entry.account != nil && entry.account != modelDriver.model.devices[device].account
    }
}

/// The products that a store lists for a request.
private final class ProductListing: @unchecked Sendable {  // unchecked: a run uses one thread
    var products: [StoreProduct]?
}

extension Model.Use {
    fileprivate init(_ entitlement: SandboxEntitlement) {
        product = entitlement.productIdentifier
        end = entitlement.expirationDate
        purchaser = entitlement.sharedBy.flatMap { Model.accountNames.firstIndex(of: $0) }
    }
}
