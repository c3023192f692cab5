import Foundation
import StoreCore

// Signed requests for generic products, and requests of the developer's server.
extension Simulation {
    private typealias Members = [String: Any]
    private typealias Item = PeriodContent.Item

    /// Charges an account for an item.
    func charge(_ cents: Int, _ repetition: SimulatedOperation.Repetition, to account: Int) {
        var (nonce, reference) = (newIdentifier(), newIdentifier())
        switch (repetition, lastRequest) {
        case (.nonce, let last?): nonce = last.nonce
        case (.reference, let last?): reference = last.reference
        default: break
        }
        let members: Members = [
            "taxCode": "C003-00-2", "item": json(Item(sku: Model.Group.requests.sku, cents: cents)),
        ]
        buy(.generic, "CREATE_ONE_TIME_CHARGE", members, nonce, reference, for: account) { $0.pay(cents, by: account) }
    }

    /// Requests something about one of an account's generic subscriptions.
    func request(_ request: SimulatedOperation.Request, of account: Int, in slot: Model.Group) {
        if case .migrate = request { return migrate(slot, of: account) }
        let slot = Model.Group.generic.contains(slot) ? slot : .requests
        let model = modelDriver.model
        let group = model.generic(slot, of: account) ?? slot
        let known = model.accounts[account].subscriptions[group]
        let isRunning = known?.isRunning == true
        // What began in one moment is told apart by its price.
        let more = (Model.Group.generic.firstIndex(of: slot) ?? 0) * 10
        switch request {
        case .create(let cents, let offer):
            let item = item(slot.sku, cents + more, offer, free: more)
            let content = PeriodContent(items: [.base: item])
            var members = json(content).merging(["period": "P1M", "items": [json(item)]]) { $1 }
            // A subscription whose renewal is not paid for gives way to one that continues it.
            if known != nil { members["previousTransactionId"] = original(of: account, group) }
            let isRefused = known?.isEntitled == true || model.holds([item.sku], account, except: group)
            buy(.pass, "CREATE_SUBSCRIPTION", members, for: account, isRefused: isRefused) {
                $0.begin(content, by: account, in: slot)
            }
        case .add(let cents, let offer):
            let item = item("more", cents, offer, free: 0)
            let isKnown = known?.content.items[.more] != nil || known?.nextContent.items[.more] != nil
            // An offer of months does not fit a year.
            let isRefused = isKnown || offer != nil && known?.content.months != 1
            modify(["addItems": [json(item)]], of: account, group, isRefused: isRefused, retainsCycle: false) {
                guard let known else { return }
                // The period that begins now is the next one of the offers.
                let content = known.content.next.adding(item, as: .more)
                let next = known.nextContent.adding(item, as: .more).next
                $0.begin(content, next: next, by: account, in: slot)
            }
        case .remove:
            let isUnknown = known?.nextContent.items[.more] == nil
            modify(["removeItems": [["SKU": "more"]]], of: account, group, isRefused: isUnknown, retainsCycle: true) {
                let withoutMore: (inout PeriodContent) -> Void = { $0.items[.more] = nil }
                $0.accounts[account].subscriptions[group]?.changeContent(isImmediate: false, withoutMore)
                $0.accounts[account].subscriptions[group]?.setWillRenew(true)
            }
        case .reactivate:
            let held = known?.nextContent.items.values.map(\.sku) ?? []
            let isHeld = !isRunning && model.holds(held, account, except: group)
            let isRefused = known == nil || isRunning && known?.willRenew == true || isHeld
            let members: Members = ["transactionId": original(of: account, group)]
            buy(.pass, "REACTIVATE_SUBSCRIPTION", members, for: account, isRefused: isRefused) {
                guard let known else { return }
                if isRunning {
                    $0.accounts[account].subscriptions[group]?.setWillRenew(true)
                } else {
                    $0.begin(known.nextContent, by: account, in: slot)
                }
            }
        case .cancel:
            perform(.cancel, [:], on: original(of: account, group), isRefused: !isRunning) {
                $0.accounts[account].subscriptions[group]?.setWillRenew(false)
            }
        case .changePrice(let cents):
            let sku = known?.nextContent.items[.base]?.sku ?? slot.sku
            let items: [Members] = [["SKU": sku, "price": (cents + more) * 10]]
            let isRefused = !isRunning || known?.failedRenewal != nil
            let members: Members = ["currency": currency, "items": items]
            perform(.changePrice, members, on: original(of: account, group), isRefused: isRefused) {
                $0.accounts[account].subscriptions[group]?.changeContent(isImmediate: false) {
                    $0.items[.base]?.cents = cents + more
                }
            }
        case .revoke:
            let members: Members = ["refundRiskingPreference": false, "refundType": "FULL", "refundReason": "OTHER"]
            perform(.revoke, members, on: original(of: account, group), isRefused: !isRunning) {
                $0.revokeRequested(group, of: account)
            }
        case .rename(let isImmediate): rename(group, of: account, isImmediate: isImmediate)
        case .describe(let description, let isImmediate, let byServer):
            describe(group, of: account, description, isImmediate: isImmediate, byServer: byServer)
        case .migrate: break
        }
    }

    /// Changes texts or the tax code of a subscription to others than it ever had.
    ///
    /// A server's tax code is that of the running period too, an app's that of the renewal, which the app turns on.
    private func describe(
        _ group: Model.Group,
        of account: Int,
        _ description: SimulatedOperation.Description,
        isImmediate: Bool,
        byServer: Bool
    ) {
        let number = requests + 1
        let texts = PeriodContent.Texts(displayName: "Pass \(number)", description: "For \(number) items")
        let taxCode = "C003-00-\(number % 100)"
        let (hasName, hasTexts) = (description != .taxCode, description == .texts || description == .all)
        let hasTaxCode = description == .taxCode || description == .all
        var descriptors = ["displayName": texts.displayName]
        descriptors["description"] = hasTexts ? texts.description : nil
        descriptors["effective"] = isImmediate ? "IMMEDIATELY" : "NEXT_BILL_CYCLE"
        var members: Members = [:]
        if hasName { members["descriptors"] = descriptors }
        if hasTaxCode { members["taxCode"] = taxCode }
        func apply(to model: inout Model) {
            guard var subscription = model.accounts[account].subscriptions[group] else { return }
            subscription.changeContent(isImmediate: isImmediate) {
                if hasName { $0.texts.displayName = texts.displayName }
                if hasTexts { $0.texts.description = texts.description }
            }
            if hasTaxCode { subscription.changeContent(isImmediate: byServer) { $0.taxCode = taxCode } }
            if !byServer { subscription.setWillRenew(true) }
            model.accounts[account].subscriptions[group] = subscription
        }
        if byServer {
            let isRefused = modelDriver.model.accounts[account].subscriptions[group]?.isRunning != true
            let original = original(of: account, group)
            perform(.changeMetadata, members, on: original, isRefused: isRefused) { apply(to: &$0) }
        } else {
            let isRefused = description == .name
            modify(members, of: account, group, isRefused: isRefused, retainsCycle: true) { apply(to: &$0) }
        }
    }

    /// Gives the first item of a subscription another SKU, or its former one again.
    private func rename(_ group: Model.Group, of account: Int, isImmediate: Bool) {
        let known = modelDriver.model.accounts[account].subscriptions[group]
        let next = known?.nextContent.items[.base]?.sku
        let former = isImmediate ? known?.content.items[.base]?.sku : next
        let sku = former == group.sku ? "renamed.\(group)" : group.sku
        let item: Members = [
            "currentSKU": former ?? group.sku, "SKU": sku, "effective": isImmediate ? "IMMEDIATELY" : "NEXT_BILL_CYCLE",
        ]
        // What has another SKU at the renewal already cannot be changed now.
        let isRefused = known?.isRunning != true || former != next
        perform(.changeMetadata, ["items": [item]], on: original(of: account, group), isRefused: isRefused) {
            $0.rename(group, of: account, to: sku, isImmediate: isImmediate)
        }
    }

    /// Has the subscription of another group go on as a generic one, unless the account has such a one already.
    private func migrate(_ group: Model.Group, of account: Int) {
        let model = modelDriver.model
        let (migrated, known) = (model.generic(.migrated, of: account), model.accounts[account].subscriptions[group])
        guard migrated == nil || migrated == group, !Model.Group.generic.contains(group) else { return }
        let item: Members = ["SKU": Model.Group.migrated.sku, "displayName": "The same", "description": "As before"]
        let own: Members = ["targetProductId": Model.Product.pass.rawValue, "items": [item]]
        let members = json(PeriodContent()).merging(own) { $1 }
        perform(.migrate, members, on: original(of: account, group), isRefused: known?.canMigrate != true) {
            $0.migrate(group, of: account)
        }
    }

    /// Refunds an item of a transaction that an app has heard of.
    func refund(
        _ item: SimulatedOperation.Item,
        of index: Int,
        _ extent: SimulatedOperation.Extent,
        revokes: Bool
    ) {
        let model = modelDriver.model
        let known = model.known.filter { !model.entries[$0].items.isEmpty }
        guard !known.isEmpty else { return }
        let entry = known[index % known.count]
        guard let identifier = model.entries[entry].identifier else { return }
        // A free item can be revoked, as a part of a transaction that costs something.
        let isFree = model.entries[entry].items[item]?.paid == 0 && model.entries[entry].charge != 0
        let rest = model.refundable(item, of: entry).flatMap { $0 > 0 || isFree ? $0 : nil }
        var refunded: Members = [
            "SKU": model.entries[entry].items[item]?.sku ?? "more", "refundReason": "OTHER", "revoke": revokes,
        ]
        var amount = rest
        switch extent {
        case .full: refunded["refundType"] = "FULL"
        case .half:
            amount = rest.map { $0 / 2 }
            (refunded["refundType"], refunded["refundAmount"]) = ("CUSTOM", amount ?? 0)
        case .prorated:
            refunded["refundType"] = "PRORATED"
            let paid = Double(model.entries[entry].items[item]?.paid ?? 0)
            amount = rest.flatMap { rest in
                model.remainingShare(of: entry).map { min(Int((paid * $0).rounded()), rest) }
            }
        }
        let members: Members = ["refundRiskingPreference": false, "items": [refunded]]
        perform(.requestRefund, members, on: identifier, isRefused: amount == nil) {
            if let amount { $0.refund(item, of: entry, amount, revokes: revokes) }
        }
    }

    private func modify(
        _ members: Members,
        of account: Int,
        _ group: Model.Group,
        isRefused: Bool,
        retainsCycle: Bool,
        _ apply: (inout Model) -> Void
    ) {
        let own: Members = ["transactionId": original(of: account, group), "retainBillingCycle": retainsCycle]
        let known = modelDriver.model.accounts[account].subscriptions[group]
        let isInactive = known?.isRunning != true || known?.failedRenewal != nil
        buy(
            .pass,
            "MODIFY_SUBSCRIPTION",
            own.merging(members) { $1 },
            for: account,
            isRefused: isRefused || isInactive,
            apply
        )
    }

    /// Buys by a request, which the store signs, and has to refuse if it was used or cannot be fulfilled.
    private func buy(
        _ product: Model.Product,
        _ operation: String,
        _ members: Members,
        _ nonce: UUID? = nil,
        _ reference: UUID? = nil,
        for account: Int,
        isRefused: Bool = false,
        _ apply: (inout Model) -> Void
    ) {
        let (nonce, reference) = (nonce ?? newIdentifier(), reference ?? newIdentifier())
        lastRequest = (nonce, reference)
        let common: Members = ["operation": operation, "version": "1", "currency": currency]
        let request = json(common.merging(members) { $1 }, reference)
        let action = { [self] in
            let jws = try store.signedRequest(request, nonce: nonce)
            _ = try handle(ofAccount: account)?.buy(product.rawValue, compactJWS: jws)
        }
        let isRepeated = modelDriver.model.nonces.contains(nonce) || modelDriver.model.references.contains(reference)
        if isRefused || isRepeated { return expectRefusal("fulfills the request \(operation)", action: action) }
        operate(
            {
                $0.nonces.insert(nonce)
                $0.references.insert(reference)
                apply(&$0)
            },
            action: action
        )
    }

    /// Performs a function of the developer's server.
    private func perform(
        _ function: AdvancedCommerceFunction,
        _ members: Members,
        on transaction: String,
        isRefused: Bool,
        _ apply: (inout Model) -> Void
    ) {
        let reference = newIdentifier()
        let action = { [self] in
            _ = try ServerView(store).perform(function, of: transaction, json(members, reference))
        }
        if isRefused { return expectRefusal("performs \(function)", action: action) }
        operate(
            {
                $0.references.insert(reference)
                apply(&$0)
            },
            action: action
        )
    }

    private var currency: String { modelDriver.model.prices.country == .usa ? "USD" : "EUR" }

    private func json(_ item: Item) -> Members {
        var members: Members = [
            "SKU": item.sku, "displayName": "The \(item.sku)", "description": "All of \(item.sku)",
            "price": item.cents * 10,
        ]
        if let offer = item.offer {
            members["offer"] =
                [
                    "price": offer.cents * 10, "period": "P1M", "periodCount": offer.periods, "reason": "ACQUISITION",
                ] as Members
        }
        return members
    }

    /// Returns the texts and the tax code with which a subscription begins.
    private func json(_ content: PeriodContent) -> Members {
        let texts = content.texts
        return [
            "taxCode": content.taxCode,
            "descriptors": ["displayName": texts.displayName, "description": texts.description],
        ]
    }

    /// Returns an item with an offer, if one is given.
    ///
    /// What is free for one subscription costs some cents for another, so that the periods are told apart.
    private func item(_ sku: String, _ cents: Int, _ offer: SimulatedOperation.ItemOffer?, free: Int) -> Item {
        var item = Item(sku: sku, cents: cents)
        switch offer {
        case .free?: item.offer = .init(cents: free, periods: 1, periodsLeft: 0)
        case .half(let periods)?: item.offer = .init(cents: cents / 2, periods: periods, periodsLeft: periods - 1)
        case nil: break
        }
        return item
    }

    private func json(_ members: Members, _ reference: UUID) -> Data {
        let request = members.merging(["requestInfo": ["requestReferenceId": reference.uuidString]]) { $1 }
        return (try? JSONSerialization.data(withJSONObject: request, options: .sortedKeys)) ?? Data()
    }

    /// Returns the first transaction of one of an account's subscriptions, as the store names it.
    private func original(of account: Int, _ group: Model.Group) -> String {
        handle(ofAccount: account).flatMap { storedSubscription(of: $0, account, in: group) }?.originalTransaction
            ?? "0"
    }

    /// Returns the store's subscription for the model's: of several generic ones the one in the same place.
    func storedSubscription(of account: SandboxAccount, _ index: Int, in group: Model.Group) -> SandboxSubscription? {
        guard Model.Group.generic.contains(group) else { return account.subscription(inGroup: group.name) }
        let found = account.subscriptions.filter { $0.groupIdentifier == group.name }
        let right = modelDriver.model.generic(of: index)
        // One too many is in nobody's place.
        if found.count != right.count { return found.first }
        return right.firstIndex(of: group).map { found[$0] }
    }

    /// Returns an identifier that no other request has.
    private func newIdentifier() -> UUID {
        requests += 1
        let (high, low) = (UInt8(truncatingIfNeeded: requests >> 8), UInt8(truncatingIfNeeded: requests))
        return UUID(uuid: (2, high, low, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))
    }

    /// Whether an account has, or had, a subscription with items.
    func hasGenericSubscriptions(_ account: Int) -> Bool {
        modelDriver.model.accounts[account].subscriptions.contains {
            Model.Group.generic.contains($0) || !$1.content.items.isEmpty
        }
    }

    /// Checks the items, the texts and the tax code of a running subscription, and those of its renewal.
    func checkItems(
        of account: SandboxAccount,
        _ subscription: SandboxSubscription,
        _ expected: SubscriptionModel
    ) -> String? {
        let signed = try? account.signedSubscriptions(inGroup: subscription.groupIdentifier).first {
            $0.renewal.content.originalTransactionId == subscription.originalTransaction
        }
        guard let signed else { return "\(account.name) has no signed subscription of \(subscription)" }
        let next = signed.renewal.content.advancedCommerceInfo.map { info in
            let items = info.items.map { Item($0.SKU, $0.price, $0.offer) }
            return PeriodContent.summary(items, info.descriptors, info.taxCode)
        }
        let period = signed.transaction.content.advancedCommerceInfo.map { info in
            let items = info.items.map { Item($0.SKU, $0.price, $0.offer) }
            return PeriodContent.summary(items, info.descriptors, info.taxCode)
        }
        // The period of one that goes on without items keeps them.
        let isOrdinary = expected.content.items.isEmpty
        let pairs = [(isOrdinary ? nil : period, expected.content.summary), (next, expected.nextContent.summary)]
        for (found, right) in pairs where found != right {
            return "\(account.name) has the items \(found ?? "[]"), and should have \(right ?? "[]")"
        }
        return nil
    }
}

extension PeriodContent.Item {
    /// Creates an item that a store shows.
    fileprivate init(_ sku: String, _ price: Int64, _ offer: TransactionPayload.AdvancedCommerceInfo.Offer?) {
        (self.sku, cents) = (sku, Int(price) / 10)
        self.offer = offer.map { .init(cents: Int($0.price) / 10, periods: $0.periodCount, periodsLeft: 0) }
    }
}
