import Foundation
import StoreCore
import StoreScenario

extension ConsoleReader {
    /// Returns a page of the accounts, oldest first, with their devices, families, switches and purchases.
    func customers(_ query: ControlQuery) throws -> JSONValue {
        let search = ConsoleSearch(query["search"])
        let (page, total, next) = store.customers(after: try Self.number(query), limit: query.limit) {
            search.isEmpty || search.finds([$0] + $1)
        }
        let spent = try spent(by: page)
        let rows = page.map { customer in
            let amounts = (spent[customer.account] ?? [:]).sorted { $0.key < $1.key }
            return row(customer, amounts.map { ["currency": .string($0.key), "amount": .string("\($0.value)")] })
        }
        return Self.page(rows, total: total, next: next.map { "\($0)" })
    }

    /// Returns what each account has paid in each currency, without what was refunded.
    private func spent(by customers: [StoreCustomer]) throws -> [String: [String: Decimal]] {
        let accounts = Set(customers.map(\.account))
        var spent: [String: [String: Decimal]] = [:]
        try chronicle.forEachTransaction { transaction in
            guard let charge = transaction.chargedAmount, charge != 0, let account = transaction.account,
                accounts.contains(account)
            else { return }
            spent[account, default: [:]][transaction.currency ?? "", default: 0] +=
                charge - (transaction.refundedAmount ?? 0)
        }
        return spent
    }

    private func row(_ customer: StoreCustomer, _ spent: [JSONValue]) -> JSONValue {
        let entitlements = store.account(named: customer.account)?.entitlements ?? []
        return [
            "account": .string(customer.account),
            "family": customer.family.map { family in
                [
                    "name": .string(family.name),
                    "role": .string(family.members.first == customer.account ? "organizer" : "member"),
                    "members": .array(family.members.map(JSONValue.string)),
                ]
            } ?? .null,
            "devices": .array(
                customer.devices.map {
                    ["device": .string($0.name), "payments": .bool($0.mayPay), "isSignedIn": .bool(true)]
                }
            ),
            "switches": [
                "asksToBuy": .bool(customer.asksToBuy), "billingFails": .bool(customer.billingFails),
                "interrupted": .bool(customer.interruptsPurchases), "shares": .bool(customer.sharesPurchases),
            ],
            "running": .array(
                entitlements.compactMap { one in
                    one.expirationDate.map { ["product": .string(one.productIdentifier), "until": .date($0)] }
                }
            ),
            "owned": .array(
                entitlements.filter { $0.expirationDate == nil }.map { .string($0.productIdentifier) }
            ),
            "spent": .array(spent), "acts": ConsoleAct.acts(on: customer).json,
        ]
    }
}
