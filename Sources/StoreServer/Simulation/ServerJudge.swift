import Foundation
import StoreCore

/// A comparison of what the server says about customers with what the store knows.
struct ServerJudge {
    /// A difference between the server and the store.
    struct Difference {
        let rule: String
        let product: String
        let sentence: String
    }

    private let setup: ServerSetup
    private let store: SandboxStore
    private let transactions: [SandboxTransaction]
    private let now: Date
    /// Whether the server need not know of a purchase that was refunded.
    private let mayMissRefunded: Bool
    /// The products that are not compared.
    private let unjudged: Set<String>

    init(
        _ setup: ServerSetup,
        _ store: SandboxStore,
        _ transactions: [SandboxTransaction],
        at now: Date,
        mayMissRefunded: Bool = false,
        without unjudged: Set<String> = []
    ) {
        (self.setup, self.store, self.transactions, self.now) = (setup, store, transactions, now)
        (self.mayMissRefunded, self.unjudged) = (mayMissRefunded, unjudged)
    }

    /// Returns the first difference in the server's answer about a customer; nil if there is none.
    func difference(in json: Any, of customer: SimulatedCustomer) -> Difference? {
        let entitlements = store.account(named: customer.name)?.entitlements ?? []
        for (product, path) in setup.allows where !unjudged.contains(product) {
            let entitlement = entitlements.first { $0.productIdentifier == product }
            guard let allows = Self.allows(product, path.value(in: json)) else {
                return Difference(
                    rule: "form",
                    product: product,
                    sentence: "the server's answer has neither true or false nor a list at \(path)"
                )
            }
            if allows == (entitlement != nil) || entitlement.map(isUntold) == true { continue }
            let verb = allows ? "may" : "may not"
            return Difference(
                rule: "\(verb) \(product)",
                product: product,
                sentence: "customer \(customer.name) \(verb) use \(product), says the server; "
                    + (entitlement.map(reason) ?? absence(of: product, for: customer))
            )
        }
        for (product, path) in setup.holds where !unjudged.contains(product) {
            guard let count = (path.value(in: json) as? NSNumber)?.doubleValue else {
                return Difference(
                    rule: "form",
                    product: product,
                    sentence: "the server's answer has no number at \(path)"
                )
            }
            let sales = transactions.filter {
                $0.account == customer.name && $0.productIdentifier == product && $0.isSale
                    && $0.origin == .purchase
            }
            let bought = sales.reduce(0) { $0 + $1.quantity }
            let kept = sales.filter { $0.cancellationDate == nil }.reduce(0) { $0 + $1.quantity }
            if count == Double(kept) || (!setup.takesBackRefunds && count == Double(bought)) { continue }
            let refunds = bought == kept ? "" : ", of which \(bought - kept) refunded"
            let isMore = count > Double(kept)
            if mayMissRefunded, !setup.takesBackRefunds, isMore, count < Double(bought) { continue }
            return Difference(
                rule: "\(isMore ? "more" : "less") \(product)",
                product: product,
                sentence:
                    "customer \(customer.name) holds \(count.formatted(.number.grouping(.never))) \(product), says the server; "
                    + "the store has sold \(bought)\(refunds)"
            )
        }
        return nil
    }

    /// Returns the product of a transaction that has to be credited to a customer before an app finishes it; nil if it
    /// need not be.
    func productToCredit(of id: String, to customer: SimulatedCustomer) -> String? {
        guard let transaction = transactions.last(where: { $0.id == id }), isOwed(transaction, to: customer) else {
            return nil
        }
        let product = transaction.productIdentifier
        if unjudged.contains(product) { return nil }
        if setup.holds.contains(where: { $0.product == product }) { return product }
        guard setup.allows.contains(where: { $0.product == product }),
            transaction.expirationDate.map({ $0 > now }) ?? true,
            let entitlements = store.account(named: customer.name)?.entitlements,
            entitlements.contains(where: { $0.productIdentifier == product })
        else { return nil }
        return product
    }

    /// Returns a clause about a transaction of a product that an app finishes and the server has not credited; nil if it
    /// has.
    ///
    /// A server says how many it has credited, and not which. Therefore it has to have credited as many as are finished,
    /// with this one, and are not refunded.
    func objection(toFinishing id: String, of product: String, in json: Any, _ customer: SimulatedCustomer) -> String? {
        let uncredited = "which the server had not credited to customer \(customer.name)"
        if let path = setup.holds.first(where: { $0.product == product })?.path {
            let finished = transactions.filter {
                $0.productIdentifier == product && ($0.isFinished || $0.id == id) && isOwed($0, to: customer)
            }
            let owed = finished.reduce(0) { $0 + $1.quantity }
            let count = (path.value(in: json) as? NSNumber)?.doubleValue ?? 0
            if count >= Double(owed) { return nil }
            let number = count.formatted(.number.grouping(.never))
            return finished.count == 1
                ? uncredited : "and customer \(customer.name) holds \(number) of \(owed) finished, says the server"
        }
        let path = setup.allows.first { $0.product == product }?.path
        return Self.allows(product, path?.value(in: json)) == true ? nil : uncredited
    }

    /// Whether a transaction is a customer's own purchase that counts.
    private func isOwed(_ transaction: SandboxTransaction, to customer: SimulatedCustomer) -> Bool {
        transaction.account == customer.name && transaction.isSale && transaction.cancellationDate == nil
            && transaction.sharedBy == nil && transaction.origin != .restoration
    }

    /// Whether the store tells a server of an entitlement only on request: a family member's in the grace period or
    /// after an extension, of which the store notifies with the purchaser's transaction.
    private func isUntold(_ entitlement: SandboxEntitlement) -> Bool {
        guard entitlement.sharedBy != nil, let end = entitlement.expirationDate else { return false }
        return entitlement.isInGracePeriod
            || !transactions.contains {
                $0.sharedBy != nil && $0.productIdentifier == entitlement.productIdentifier && $0.expirationDate == end
            }
    }

    private static func allows(_ product: String, _ value: Any?) -> Bool? {
        if let list = value as? [Any] { return list.contains { $0 as? String == product } }
        return (value as? NSNumber)?.boolValue
    }

    private func reason(_ entitlement: SandboxEntitlement) -> String {
        let end = entitlement.expirationDate.map { " until \($0.formatted(.iso8601))" } ?? ""
        if let sharer = entitlement.sharedBy { return "the store shares it by family with customer \(sharer)\(end)" }
        return entitlement.isInGracePeriod
            ? "the store grants it in the grace period\(end)" : "the store has sold it\(end)"
    }

    private func absence(of product: String, for customer: SimulatedCustomer) -> String {
        let last = transactions.last {
            $0.account == customer.name && $0.productIdentifier == product && $0.state == .purchased
        }
        guard let last else { return "the store has never sold it to the customer" }
        let next = transactions.last { $0.state == .purchased && ($0.original ?? $0.id) == (last.original ?? last.id) }
        if let next, next.productIdentifier != product { return "\(next.productIdentifier) has replaced it" }
        if let date = last.cancellationDate {
            if last.sharedBy != nil { return "the store shares it no longer, since \(date.formatted(.iso8601))" }
            return last.refundedAmount == nil
                ? "the store has revoked it, or it was upgraded, on \(date.formatted(.iso8601))"
                : "the store has refunded it on \(date.formatted(.iso8601))"
        }
        if let date = last.expirationDate, date <= now { return "it has expired on \(date.formatted(.iso8601))" }
        return "the store does not grant it"
    }
}
