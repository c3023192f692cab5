import Foundation
import StoreCore

// Signed requests for generic products, and requests of the developer's server.
extension Simulation {
    private typealias Members = [String: Any]
    private typealias Item = SubscriptionModel.Item

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
        case .create(let cents):
            let item = Item(sku: slot.sku, cents: cents + more)
            var members: Members = [
                "taxCode": "C003-00-1", "period": "P1M", "items": [json(item)],
                "descriptors": ["displayName": "A pass", "description": "For items"],
            ]
            // A subscription whose renewal is not paid for gives way to one that continues it.
            if known != nil { members["previousTransactionId"] = original(of: account, group) }
            let isRefused = known?.isEntitled == true || model.holds([item.sku], account, except: group)
            buy(.pass, "CREATE_SUBSCRIPTION", members, for: account, isRefused: isRefused) {
                $0.begin([.base: item], months: 1, by: account, in: slot)
            }
        case .add(let cents):
            let item = Item(sku: "more", cents: cents)
            let isKnown = known?.items[.more] != nil || known?.nextItems[.more] != nil
            modify(["addItems": [json(item)]], of: account, group, isRefused: isKnown, retainsCycle: false) {
                guard let known else { return }
                $0.begin(
                    known.items.merging([.more: item]) { $1 },
                    next: known.nextItems.merging([.more: item]) { $1 },
                    by: account,
                    in: slot
                )
            }
        case .remove:
            let isUnknown = known?.nextItems[.more] == nil
            modify(["removeItems": [["SKU": "more"]]], of: account, group, isRefused: isUnknown, retainsCycle: true) {
                $0.accounts[account].subscriptions[group]?.renewWithout(.more)
            }
        case .reactivate:
            let isHeld = !isRunning && model.holds(known?.nextItems.values.map(\.sku) ?? [], account, except: group)
            let isRefused = known == nil || isRunning && known?.willRenew == true || isHeld
            let members: Members = ["transactionId": original(of: account, group)]
            buy(.pass, "REACTIVATE_SUBSCRIPTION", members, for: account, isRefused: isRefused) {
                guard let known else { return }
                if isRunning {
                    $0.accounts[account].subscriptions[group]?.setWillRenew(true)
                } else {
                    $0.begin(known.nextItems, by: account, in: slot)
                }
            }
        case .cancel:
            perform(.cancel, [:], on: original(of: account, group), isRefused: !isRunning) {
                $0.accounts[account].subscriptions[group]?.setWillRenew(false)
            }
        case .changePrice(let cents):
            let items = [["SKU": known?.nextItems[.base]?.sku ?? slot.sku, "price": (cents + more) * 10] as Members]
            let isRefused = !isRunning || known?.failedRenewal != nil
            let members: Members = ["currency": currency, "items": items]
            perform(.changePrice, members, on: original(of: account, group), isRefused: isRefused) {
                $0.accounts[account].subscriptions[group]?.setNextPrice(cents + more, of: .base)
            }
        case .revoke:
            let members: Members = ["refundRiskingPreference": false, "refundType": "FULL", "refundReason": "OTHER"]
            perform(.revoke, members, on: original(of: account, group), isRefused: !isRunning) {
                $0.revokeRequested(group, of: account)
            }
        case .rename(let isImmediate): rename(group, of: account, isImmediate: isImmediate)
        case .migrate: break
        }
    }

    /// Gives the first item of a subscription another SKU, or its former one again.
    private func rename(_ group: Model.Group, of account: Int, isImmediate: Bool) {
        let known = modelDriver.model.accounts[account].subscriptions[group]
        let next = known?.nextItems[.base]?.sku
        let former = isImmediate ? known?.items[.base]?.sku : next
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
        let members: Members = [
            "targetProductId": Model.Product.pass.rawValue, "taxCode": "C003-00-1", "items": [item],
            "descriptors": ["displayName": "A pass", "description": "For items"],
        ]
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
        let rest = model.refundable(item, of: entry).flatMap { $0 > 0 ? $0 : nil }
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
        [
            "SKU": item.sku, "displayName": "The \(item.sku)", "description": "All of \(item.sku)",
            "price": item.cents * 10,
        ]
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
            Model.Group.generic.contains($0) || !$1.items.isEmpty
        }
    }

    /// Checks the items of a running subscription, and those of its renewal.
    func checkItems(
        of account: SandboxAccount,
        _ subscription: SandboxSubscription,
        _ expected: SubscriptionModel
    ) -> String? {
        let signed = try? account.signedSubscriptions(inGroup: subscription.groupIdentifier).first {
            $0.renewal.content.originalTransactionId == subscription.originalTransaction
        }
        guard let signed else { return "\(account.name) has no signed subscription of \(subscription)" }
        let next = signed.renewal.content.advancedCommerceInfo?.items.map {
            Item(sku: $0.SKU, cents: Int($0.price) / 10)
        }
        let items = signed.transaction.content.advancedCommerceInfo?.items.map {
            Item(sku: $0.SKU, cents: Int($0.price) / 10)
        }
        // The period of one that goes on without items keeps them.
        let isOrdinary = expected.items.isEmpty
        for (found, right) in [(isOrdinary ? nil : items, expected.items), (next, expected.nextItems)] {
            let (found, right) = ((found ?? []).sorted { $0.sku < $1.sku }, right.values.sorted { $0.sku < $1.sku })
            if found != right { return "\(account.name) has the items \(found), and should have \(right)" }
        }
        return nil
    }
}
