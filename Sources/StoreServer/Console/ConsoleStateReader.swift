import Foundation
import StoreCore
import StoreScenario

/// A reader of a store's state for pages, as JSON.
///
/// Long lists are truncated, and have their total length.
struct ConsoleStateReader: Sendable {
    private let store: SandboxStore
    private let view: ServerView
    private let chronicle: StoreChronicle

    /// The maximum number of rows in a list.
    private static let mostRows = 200
    private static let pageSize = 50

    init(_ store: SandboxStore, _ view: ServerView, _ chronicle: StoreChronicle) {
        (self.store, self.view, self.chronicle) = (store, view, chronicle)
    }

    /// Returns the store's state for a page.
    ///
    /// The query may have `limit`, the maximum number of transactions, and `before`, the identifier of the last
    /// transaction on the previous page.
    ///
    /// - Throws: the error that prevents reading the ledger.
    func state(for request: HTTPRequest) throws -> JSONValue {
        let query = Dictionary(request.query.map { ($0.name, $0.value) }) { $1 }
        let limit = query["limit"].flatMap { Int($0) } ?? Self.pageSize
        let (page, total) = try chronicle.transactions(
            before: query["before"],
            limit: min(max(limit, 1), Self.mostRows)
        )
        let (accounts, clock) = (store.accounts, store.clock as? any MovableClock)
        return [
            "app": .string(view.bundleIdentifier), "environment": .string(view.environment),
            "storefront": .string(store.storefront?.countryCode ?? ""),
            "clock": [
                "now": .date(store.clock.now), "isMovable": .bool(clock != nil),
                "lead": .optional(clock?.lead.map { Int($0) }),
            ],
            "transactions": list(page, total: total, \.row), "undecided": list(store.undecided, \.json),
            "issues": list(store.issues, \.json), "refundRequests": try refundRequests,
            "subscriptions": list(subscriptions(of: accounts)) { $0.row(account: $1) }, "products": products,
            "accounts": try list(accounts) { try $0.json() }, "devices": list(store.devices, \.json),
        ]
    }

    private func list<Value>(
        _ values: [Value],
        total: Int? = nil,
        _ row: (Value) throws -> JSONValue
    ) rethrows -> JSONValue {
        ["rows": .array(try values.prefix(Self.mostRows).map(row)), "total": .number(total ?? values.count)]
    }

    /// The transactions with an undecided refund request.
    private var refundRequests: JSONValue {
        get throws {
            let all = store.refundRequests
            return list(try all.prefix(Self.mostRows).compactMap(chronicle.transaction), total: all.count, \.row)
        }
    }

    private func subscriptions(of accounts: [SandboxAccount]) -> [(SandboxSubscription, String)] {
        accounts.flatMap { account in
            let name = account.name
            return account.subscriptions.map { ($0, name) }
        }
    }

    /// The products; those on sale have their titles and prices for the first device.
    private var products: JSONValue {
        let all = store.registeredProducts
        let answer = try? store.products(Set(all.prefix(Self.mostRows).map(\.identifier))).get()
        let onSale = Dictionary((answer?.products ?? []).map { ($0.identifier, $0) }) { $1 }
        return list(all) { $0.row(onSale[$0.identifier], in: store) }
    }
}

// Members for pages only, added to the JSON form that results of commands have.
extension SandboxProduct {
    /// Returns the product with its title, its price in the storefront, and its subscription period.
    fileprivate func row(_ shown: StoreProduct?, in store: SandboxStore) -> JSONValue {
        let currency = shown.flatMap { Locale(identifier: $0.priceLocaleIdentifier).currency?.identifier }
        return json(in: store) + [
            "title": .string(shown?.localizedTitle ?? localizations.first?.title ?? referenceName),
            "storefrontPrice": .optional(shown?.price), "currency": .optional(currency),
            "period": .optional(subscription.map { "\($0.period.count) \($0.period.unit)" }),
        ]
    }
}
