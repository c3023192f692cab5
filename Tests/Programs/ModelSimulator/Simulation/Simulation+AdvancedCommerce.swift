import Foundation
import StoreCore

// Signed requests for generic products, and requests of the developer's server.
extension Simulation {
    private typealias Members = [String: Any]

    /// Charges an account for an item.
    func charge(_ cents: Int, _ repetition: SimulatedOperation.Repetition, to account: Int) {
        var (nonce, reference) = (newIdentifier(), newIdentifier())
        switch (repetition, lastRequest) {
        case (.nonce, let last?): nonce = last.nonce
        case (.reference, let last?): reference = last.reference
        default: break
        }
        let members: Members = ["taxCode": "C003-00-2", "item": item("base", cents)]
        buy(.generic, "CREATE_ONE_TIME_CHARGE", members, nonce, reference, for: account) { $0.pay(cents, by: account) }
    }

    /// Requests something about an account's generic subscription.
    func request(_ request: SimulatedOperation.Request, of account: Int) {
        let known = modelDriver.model.accounts[account].subscriptions[.requests]
        switch request {
        case .create(let cents):
            var members: Members = [
                "taxCode": "C003-00-1", "period": "P1M", "items": [item("base", cents)],
                "descriptors": ["displayName": "A pass", "description": "For items"],
            ]
            // A subscription whose renewal is not paid for gives way to one that continues it.
            let isRefused = known?.isEntitled == true
            if known?.isEntitled == false { members["previousTransactionId"] = original(of: account) }
            buy(.pass, "CREATE_SUBSCRIPTION", members, for: account, isRefused: isRefused) {
                $0.begin(["base": cents], by: account)
            }
        case .add(let cents):
            let isKnown = known?.items["more"] != nil || known?.nextItems["more"] != nil
            modify(["addItems": [item("more", cents)]], of: account, isRefused: isKnown, retainsCycle: false) {
                guard let known else { return }
                $0.begin(
                    known.items.merging(["more": cents]) { $1 },
                    next: known.nextItems.merging(["more": cents]) { $1 },
                    by: account
                )
            }
        case .remove:
            let isUnknown = known?.nextItems["more"] == nil
            modify(["removeItems": [["SKU": "more"]]], of: account, isRefused: isUnknown, retainsCycle: true) {
                $0.accounts[account].subscriptions[.requests]?.renewWithout("more")
            }
        case .reactivate:
            let isRefused = known == nil || known?.isRunning == true && known?.willRenew == true
            buy(
                .pass,
                "REACTIVATE_SUBSCRIPTION",
                ["transactionId": original(of: account)],
                for: account,
                isRefused: isRefused
            ) {
                guard let known else { return }
                if known.isRunning {
                    $0.accounts[account].subscriptions[.requests]?.setWillRenew(true)
                } else {
                    $0.begin(known.nextItems, by: account)
                }
            }
        case .cancel:
            perform(.cancel, [:], on: account, isRefused: known?.isRunning != true) {
                $0.accounts[account].subscriptions[.requests]?.setWillRenew(false)
            }
        case .changePrice(let cents):
            let items = [["SKU": "base", "price": cents * 10]]
            let isRefused = known?.isRunning != true || known?.failedRenewal != nil
            perform(.changePrice, ["currency": currency, "items": items], on: account, isRefused: isRefused) {
                $0.accounts[account].subscriptions[.requests]?.setNextPrice(cents, of: "base")
            }
        case .revoke:
            let members: Members = ["refundRiskingPreference": false, "refundType": "FULL", "refundReason": "OTHER"]
            perform(.revoke, members, on: account, isRefused: known?.isRunning != true) {
                $0.revokeRequested(by: account)
            }
        }
    }

    private func modify(
        _ members: Members,
        of account: Int,
        isRefused: Bool,
        retainsCycle: Bool,
        _ apply: (inout Model) -> Void
    ) {
        let own: Members = ["transactionId": original(of: account), "retainBillingCycle": retainsCycle]
        let known = modelDriver.model.accounts[account].subscriptions[.requests]
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
        on account: Int,
        isRefused: Bool,
        _ apply: (inout Model) -> Void
    ) {
        let reference = newIdentifier()
        let transaction = original(of: account)
        let action = { [self] in
            _ = try ServerView(store).perform(function, of: transaction, json(members, reference))
        }
        if isRefused { return expectRefusal("performs \(function) on what does not run", action: action) }
        operate(
            {
                $0.references.insert(reference)
                apply(&$0)
            },
            action: action
        )
    }

    private var currency: String { modelDriver.model.prices.country == .usa ? "USD" : "EUR" }

    private func item(_ sku: String, _ cents: Int) -> Members {
        ["SKU": sku, "displayName": "The \(sku)", "description": "All of \(sku)", "price": cents * 10]
    }

    private func json(_ members: Members, _ reference: UUID) -> Data {
        let request = members.merging(["requestInfo": ["requestReferenceId": reference.uuidString]]) { $1 }
        return (try? JSONSerialization.data(withJSONObject: request, options: .sortedKeys)) ?? Data()
    }

    /// Returns the first transaction of an account's generic subscription, as the store names it.
    private func original(of account: Int) -> String {
        handle(ofAccount: account)?.subscription(inGroup: Model.Group.requests.rawValue)?.originalTransaction ?? "0"
    }

    /// Returns an identifier that no other request has.
    private func newIdentifier() -> UUID {
        requests += 1
        let (high, low) = (UInt8(truncatingIfNeeded: requests >> 8), UInt8(truncatingIfNeeded: requests))
        return UUID(uuid: (2, high, low, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))
    }

    /// Checks the items of a running generic subscription, and those of its renewal.
    func checkItems(of account: SandboxAccount, _ expected: SubscriptionModel) -> String? {
        guard let found = try? account.signedSubscriptions(inGroup: Model.Group.requests.rawValue).last else {
            return "\(account.name) has no signed subscription of the generic product"
        }
        let items = found.transaction.content.advancedCommerceInfo?.items.map { ($0.SKU, Int($0.price)) } ?? []
        let next = found.renewal.content.advancedCommerceInfo?.items.map { ($0.SKU, Int($0.price)) } ?? []
        for (found, right) in [(items, expected.items), (next, expected.nextItems)] {
            let right = right.mapValues { $0 * 10 }
            if found.count != right.count || Dictionary(found, uniquingKeysWith: { $1 }) != right {
                let sorted = right.sorted { $0.key < $1.key }
                return "\(account.name) has the items \(found), and should have \(sorted)"
            }
        }
        return nil
    }
}
