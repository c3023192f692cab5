import Foundation

/// A purchase that was interrupted, and waits for its user to do what is to be done outside the app.
public struct PurchaseIssue: Hashable, Sendable {
    /// The store's name for the transaction that failed.
    public let transaction: String
    /// The name of the account that will pay.
    public let account: String
    /// The name of the device on which it was ordered.
    public let device: String
    /// The product.
    public let productIdentifier: String
    /// How many of it.
    public let quantity: Int
}

extension SandboxAccount {
    /// Whether everything that the account orders is interrupted.
    public var interruptsPurchases: Bool {
        core.look { shell, _ in shell.state.owner.interruptedAccounts.contains(number) }
    }

    /// Interrupts everything that the account orders from now on, or no longer.
    ///
    /// It is as if its user had to agree to something outside the app first: where the store would charge, the
    /// transaction fails with the code `unknown`, and the purchase waits among ``SandboxStore/issues``. The ledger keeps
    /// the wish.
    ///
    /// - Throws: what the ledger throws.
    public func setInterruptsPurchases(_ isOn: Bool) throws {
        try core.change { state, events, now in
            guard state.owner.interruptedAccounts.contains(number) != isOn else { return }
            events.append(LedgerRecord(date: now, event: .owner(.interruptsPurchases(account: number, isOn))))
        }
    }
}

extension SandboxStore {
    /// The purchases that were interrupted and not resolved yet, oldest first.
    public var issues: [PurchaseIssue] {
        core.look { shell, _ in
            let state = shell.state
            return state.owner.issues.sorted { $0.key < $1.key }.map { number, issue in
                PurchaseIssue(
                    transaction: String(number),
                    account: state.accounts[issue.account].name,
                    device: state.devices[issue.device].name,
                    productIdentifier: issue.payment.productIdentifier,
                    quantity: issue.payment.quantity
                )
            }
        }
    }

    /// Lets an interrupted purchase go through, as if its user had done what was to be done.
    ///
    /// A new purchased transaction for the same product and quantity comes to the device where it was ordered, at once or
    /// at its app's next launch. It is charged now, and as anything bought now would be; nothing was charged before.
    ///
    /// - Parameter transaction: the one that failed, finished or not.
    /// - Throws: ``SandboxError/noIssue(_:)``; a ``StoreFailure`` where the store does not sell the product any more, or not
    ///   under the offer that was asked for, in which case the purchase goes on waiting; and what the ledger throws.
    public func resolveIssue(_ transaction: String) throws {
        let rules = core.shell.withLock { $0.settings.rules }
        try core.change { state, events, now in
            guard let number = SandboxState.number(of: transaction), let issue = state.owner.issues[number] else {
                throw SandboxError.noIssue(transaction)
            }
            let purchase = try state.purchase(issue.payment, by: issue.account, on: issue.device, rules, now: now)
            events.append(LedgerRecord(date: now, event: .owner(.resolved(transaction: number, purchase))))
        }
    }
}
