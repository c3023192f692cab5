import Foundation

extension SandboxAccount {
    /// Whether somebody else is asked about everything that the account orders.
    public var asksToBuy: Bool { core.look { shell, _ in shell.state.owner.askingAccounts.contains(number) } }

    /// Has somebody else asked about everything that the account orders from now on, as for a child, or no longer.
    ///
    /// The authorizer speaks first and may cancel or decline. What it approves is deferred, until
    /// ``SandboxStore/decide(_:_:)``. The ledger keeps the wish.
    ///
    /// - Throws: what the ledger throws.
    public func setAsksToBuy(_ isOn: Bool) throws {
        try core.change { state, events, now in
            guard state.owner.askingAccounts.contains(number) != isOn else { return }
            events.append(LedgerRecord(date: now, event: .owner(.asksToBuy(account: number, isOn))))
        }
    }

    /// What the account ordered and waits for a decision, oldest first.
    public var undecided: [AuthorizationRequest] {
        core.look { shell, now in
            shell.questions(at: now) { shell.state.transactions[$0].map { Int($0.account) } == number }
        }
    }
}
