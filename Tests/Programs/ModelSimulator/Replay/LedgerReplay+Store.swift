import Foundation
import StoreCore

// The comparison with a store that was opened on the ledger.
extension LedgerReplay {
    /// Compares what a store says of its transactions, accounts and devices with the model.
    ///
    /// - Throws: the error that keeps the store from reading its ledger.
    package mutating func compare(with store: SandboxStore) throws {
        let transactions = try store.transactions
        if transactions.count != model.entries.count {
            note("the store has \(transactions.count) transactions, and should have \(model.entries.count)")
        }
        for transaction in transactions {
            guard let index = model.ofIdentifier[transaction.id] else {
                note("the store has \(transaction), which should not be there")
                continue
            }
            let right = facts(of: model.entries[index])
            let facts = facts(of: transaction, hasEnd: right.end != nil)
            if facts != right { note("#\(transaction.id) is \(facts), and should be \(right)") }
        }
        compare(store.accounts.map(\.name), with: accounts, "accounts")
        compare(store.devices.map(\.name), with: devices, "devices")
        for (index, account) in store.accounts.enumerated() where accounts.indices.contains(index) {
            let uses = account.entitlements.map { use in
                Model.Use(product: use.productIdentifier, end: use.expirationDate, purchaser: nil)
            }
            let right = model.uses(of: index)
            if uses.count != right.count || Set(uses) != Set(right) {
                note("\(account.name) may use \(uses), and should use \(right)")
            }
        }
        for (index, device) in store.devices.enumerated() where devices.indices.contains(index) {
            let right = model.live.map { model.entries[$0] }.filter { model.isVisible($0, on: index) }
            compare(
                try device.unfinished.map(\.id),
                with: right.map { $0.identifier ?? "" },
                "transactions on \(device.name)"
            )
        }
    }

    private mutating func compare(_ names: [String], with right: [String], _ what: String) {
        if names != right { note("the store has the \(what) \(names), and should have \(right)") }
    }

    /// What a store and the model say of a transaction.
    private struct Facts: Equatable {
        let account: String?
        let device: String?
        let product: String
        let quantity: Int
        let stage: Model.Stage
        let charge: Decimal
        /// The end of the period that it pays for.
        let end: Date?
        let original: String?
        let isFinished: Bool
        let isRefunded: Bool
    }

    private func facts(of transaction: SandboxTransaction, hasEnd: Bool) -> Facts {
        Facts(
            account: transaction.account,
            device: transaction.device,
            product: transaction.productIdentifier,
            quantity: transaction.quantity,
            stage: Model.Stage(transaction.state),
            charge: transaction.chargedAmount ?? 0,
            end: hasEnd ? transaction.expirationDate : nil,
            original: transaction.original,
            isFinished: transaction.isFinished,
            isRefunded: transaction.refundedAmount != nil
        )
    }

    private func facts(of entry: Model.Entry) -> Facts {
        Facts(
            account: entry.account.map { accounts[$0] },
            device: entry.device.map { devices[$0] },
            product: entry.product.rawValue,
            quantity: entry.quantity,
            stage: entry.stage,
            charge: Decimal(entry.charge ?? 0) / 100,
            end: entry.end,
            original: (entry.original ?? entry.beginning).flatMap { model.entries[$0].identifier },
            isFinished: !entry.isLive,
            isRefunded: entry.isRefunded
        )
    }
}
