import Foundation
import StoreCore
import StoreScenario

/// What the rows of an answer have in common: the time, the currency, the products, and what is undecided.
struct ConsoleContext {
    let store: SandboxStore
    let now: Date
    /// The currency of the storefront; nil for an unknown country.
    let currency: String?
    private let titles: [String: String]
    private let kinds: [String: StoreProduct.Kind]
    private let interrupted: Set<String>
    private let refundRequests: Set<String>

    init(_ store: SandboxStore) {
        self.store = store
        now = store.clock.now
        currency = store.storefront?.currency
        let products = store.registeredProducts
        let onSale = try? store.products(Set(products.map(\.identifier))).get().products
        let localized = (onSale ?? []).map { ($0.identifier, $0.localizedTitle) }
        let known = products.map { ($0.identifier, $0.localizations.first?.title ?? $0.referenceName) }
        titles = Dictionary(known + localized) { $1 }
        kinds = Dictionary(products.map { ($0.identifier, $0.kind) }) { $1 }
        interrupted = Set(store.interruptedPurchases.map(\.transaction))
        refundRequests = Set(store.refundRequests)
    }

    /// Returns the title of a product in the language of the first device; its identifier if it has none.
    func title(of product: String) -> String {
        titles[product].flatMap { $0.isEmpty ? nil : $0 } ?? product
    }

    func state(of transaction: SandboxTransaction) -> ConsoleState {
        ConsoleState(transaction, interrupted: interrupted)
    }

    /// Returns the members that describe what was charged for a transaction.
    func money(_ transaction: SandboxTransaction?) -> JSONValue {
        money(transaction?.chargedAmount, transaction?.currency)
    }

    /// Returns the members that describe an amount.
    func money(_ amount: Decimal?, _ currency: String?) -> JSONValue {
        ["charge": .optional(amount.map { "\($0)" }), "currency": .optional(amount == nil ? nil : currency)]
    }

    func day(_ date: Date) -> String { ConsoleWords.day(date, now) }

    func price(_ amount: Decimal) -> String { ConsoleWords.price(amount, currency) }

    // MARK: Transactions

    /// Returns transactions as rows, with the acts that fit their states.
    func rows(_ transactions: [SandboxTransaction]) -> [JSONValue] {
        let devices = devices(of: transactions.compactMap { $0.device == nil ? $0.account : nil })
        return transactions.map { transaction in
            row(transaction, transaction.device ?? transaction.account.flatMap { devices[$0] })
        }
    }

    /// Returns the first device of each account that is signed in on one.
    func devices(of accounts: [String]) -> [String: String] {
        let wanted = Set(accounts)
        guard !wanted.isEmpty else { return [:] }
        let customers = store.customers(limit: wanted.count) { account, _ in wanted.contains(account) }.page
        return Dictionary(customers.compactMap { one in one.devices.first.map { (one.account, $0.name) } }) { $1 }
    }

    private func row(_ transaction: SandboxTransaction, _ device: String?) -> JSONValue {
        let (state, kind) = (state(of: transaction), kinds[transaction.productIdentifier])
        let acts = ConsoleAct.acts(
            on: transaction,
            state,
            isRefundRequested: refundRequests.contains(transaction.id),
            device: device
        )
        return [
            "transaction": .string(transaction.id), "product": .string(transaction.productIdentifier),
            "title": .string(title(of: transaction.productIdentifier)), "kind": .optional(kind?.rawValue),
            "kindWords": .optional(kind.map(ConsoleWords.kind)), "quantity": .number(transaction.quantity),
            "state": .string(state.rawValue), "sentence": .string(sentence(about: transaction, state)),
            "finished": .bool(transaction.isFinished), "date": .date(transaction.date),
            "account": .optional(transaction.account), "device": .optional(transaction.device),
        ] + money(transaction) + [
            "original": .optional(transaction.original), "reason": .optional(transaction.failure?.reason),
            "acts": acts.json,
        ]
    }

    private func sentence(about transaction: SandboxTransaction, _ state: ConsoleState) -> String {
        switch state {
        case .sold:
            sold(transaction) + (transaction.isFinished ? "" : ", not finished yet")
                + (refundRequests.contains(transaction.id) ? "; a refund is asked for" : "")
        case .waits: "waits for a parent"
        case .interrupted: "interrupted: the customer has to do something first"
        case .failed: failure(of: transaction)
        case .refunded:
            (transaction.refundedAmount == nil ? "no longer shared" : "refunded")
                + (transaction.cancellationDate.map { " on \(day($0))" } ?? "")
        case .restored: transaction.original.map { "restored from #\($0)" } ?? "restored"
        case .inProgress: "the payment sheet is open"
        }
    }

    private func sold(_ transaction: SandboxTransaction) -> String {
        if let held = transaction.held { return "owned already as #\(held)" }
        switch transaction.origin {
        case .purchase, .restoration: return "sold"
        case .renewal: return "renewed" + (transaction.expirationDate.map { " until \(day($0))" } ?? "")
        case .familySharing: return "shared" + (transaction.sharedBy.map { " by \($0)" } ?? "")
        }
    }

    private func failure(of transaction: SandboxTransaction) -> String {
        guard let failure = transaction.failure else { return "failed" }
        let isCancelled =
            failure.domain == .storeKit && failure.code == StoreFailure.Code.paymentCancelled.rawValue
        let code = failure.word.map { " (\($0))" } ?? ""
        return isCancelled ? "canceled by the customer" : "failed: \(failure.reason)\(code)"
    }
}
