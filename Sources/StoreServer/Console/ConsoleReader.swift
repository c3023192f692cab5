import Foundation
import StoreCore

/// A reader of what a page shows of a store, as JSON; long lists are truncated, with their full length.
struct ConsoleReader: Sendable {
    private let store: SandboxStore
    private let view: ServerView
    private let chronicle: StoreChronicle
    private let instance: String

    /// The maximum number of rows in a list.
    private static let mostRows = 200
    private static let pageSize = 50

    init(_ store: SandboxStore, _ view: ServerView, _ chronicle: StoreChronicle, instance: String) {
        (self.store, self.view, self.chronicle, self.instance) = (store, view, chronicle, instance)
    }

    /// Returns the state.
    ///
    /// The query may have `before`, the transaction of which the page lists older ones, and `limit`, their number.
    ///
    /// - Throws: the error that prevents reading the ledger.
    func state(for request: HTTPRequest, mayAct: Bool) throws -> AnswerValue {
        let query = Dictionary(request.query.map { ($0.name, $0.value) }) { $1 }
        let limit = query["limit"].flatMap { Int($0) } ?? Self.pageSize
        let (page, total) = try chronicle.transactions(
            before: query["before"],
            limit: min(max(limit, 1), Self.mostRows)
        )
        let accounts = store.accounts
        let movable = store.clock as? any MovableClock
        var clock: [String: AnswerValue] = [
            "now": .text(store.clock.now.universalText), "isMovable": .bool(movable != nil),
        ]
        if let lead = movable?.lead { clock["lead"] = .number(Int(lead)) }
        return .object([
            "instance": .text(instance), "mayAct": .bool(mayAct), "app": .text(view.bundleIdentifier),
            "environment": .text(view.environment), "storefront": .text(store.storefront?.countryCode ?? ""),
            "clock": .object(clock),
            "transactions": list(page, total: total) { $0.row },
            "undecided": list(store.undecided) { $0.row }, "issues": list(store.issues) { $0.row },
            "refundRequests": try refundRequests,
            "subscriptions": list(subscriptions(of: accounts)) { $0.0.row(account: $0.1) },
            "products": products,
            "accounts": list(accounts) { $0.row },
            "devices": list(store.devices) { $0.row },
        ])
    }

    private func list<Value>(_ values: [Value], total: Int? = nil, _ row: (Value) -> [String: AnswerValue?])
        -> AnswerValue
    {
        let rows = values.prefix(Self.mostRows).map { AnswerValue.object(row($0).compactMapValues(\.self)) }
        return .object(["rows": .list(rows), "total": .number(total ?? values.count)])
    }

    /// The transactions with a refund request that is not decided yet.
    private var refundRequests: AnswerValue {
        get throws {
            let all = store.refundRequests
            return list(try all.prefix(Self.mostRows).compactMap(chronicle.transaction), total: all.count) { $0.row }
        }
    }

    private func subscriptions(of accounts: [SandboxAccount]) -> [(SandboxSubscription, String)] {
        accounts.flatMap { account in
            let name = account.name
            return account.subscriptions.map { ($0, name) }
        }
    }

    /// The products with their prices, as the first device sees those that are on sale.
    private var products: AnswerValue {
        let all = store.registeredProducts
        let shown = all.prefix(Self.mostRows)
        var onSale: [String: StoreProduct] = [:]
        let answer = Locked<ProductsAnswer?>(nil)
        // A store in the process replies before it returns.
        store.products(Set(shown.map(\.identifier))) { result in answer.withLock { $0 = try? result.get() } }
        for product in answer.withLock({ $0?.products ?? [] }) { onSale[product.identifier] = product }
        return list(Array(shown), total: all.count) { $0.row(onSale[$0.identifier], store) }
    }
}

extension SandboxTransaction {
    /// What the list of transactions shows.
    var row: [String: AnswerValue?] {
        [
            "id": .text(id), "origin": .text(origin.rawValue), "original": original.map(AnswerValue.text),
            "account": account.map(AnswerValue.text), "device": device.map(AnswerValue.text),
            "product": .text(productIdentifier), "quantity": .number(quantity), "date": .text(date.universalText),
            "state": .text("\(state)"), "failure": failure.map { .text($0.reason) },
            "charge": charge.map { .text("\($0)") }, "expires": expirationDate.map { .text($0.universalText) },
            "cancelled": cancellationDate.map { .text($0.universalText) }, "refund": refund.map { .text("\($0)") },
            "sharedBy": sharedBy.map(AnswerValue.text), "isFinished": .bool(isFinished),
        ]
    }
}

extension AuthorizationRequest {
    fileprivate var row: [String: AnswerValue?] {
        [
            "id": .text(transaction), "account": .text(account), "device": .text(device),
            "product": .text(productIdentifier), "quantity": .number(quantity), "total": .text("\(total)"),
        ]
    }
}

extension PurchaseIssue {
    fileprivate var row: [String: AnswerValue?] {
        [
            "id": .text(transaction), "account": .text(account), "device": .text(device),
            "product": .text(productIdentifier), "quantity": .number(quantity),
        ]
    }
}

extension SandboxSubscription {
    fileprivate func row(account: String) -> [String: AnswerValue?] {
        [
            "account": .text(account), "group": .text(groupIdentifier), "product": .text(productIdentifier),
            "original": .text(originalTransaction), "state": .text("\(state)"), "isRunning": .bool(isRunning),
            "from": .text(periodStart.universalText), "until": .text(expirationDate.universalText),
            "willRenew": .bool(willRenew), "renewsAs": renewsAs.map(AnswerValue.text),
            "reason": expirationReason.map { .text($0.rawValue) },
            "grace": gracePeriodExpirationDate.map { .text($0.universalText) },
            "consent": priceConsent.map { .text($0.rawValue) },
        ]
    }
}

extension SandboxProduct {
    fileprivate func row(_ shown: StoreProduct?, _ store: SandboxStore) -> [String: AnswerValue?] {
        let currency = shown.flatMap { Locale(identifier: $0.priceLocaleIdentifier).currency?.identifier }
        return [
            "id": .text(identifier), "kind": .text(kind.rawValue),
            "title": .text(shown?.localizedTitle ?? localizations.first?.title ?? referenceName),
            "price": .text("\(shown?.price ?? price)"), "currency": currency.map(AnswerValue.text),
            "group": subscription.map { .text($0.groupIdentifier) },
            "period": subscription.map { .text("\($0.period.count) \($0.period.unit)") },
            "absence": shown == nil ? store.reasonForInvalidity(of: identifier).map(AnswerValue.text) : nil,
        ]
    }
}

extension SandboxAccount {
    fileprivate var row: [String: AnswerValue?] {
        [
            "id": .text(name), "asksToBuy": .bool(asksToBuy), "billingFails": .bool(billingFails),
            "interruptsPurchases": .bool(interruptsPurchases), "family": family.map { .text($0.name) },
        ]
    }
}

extension SandboxDevice {
    fileprivate var row: [String: AnswerValue?] {
        ["id": .text(name), "account": account.map { .text($0.name) }, "mayPay": .bool(canMakePayments)]
    }
}
