import Foundation

extension SandboxAccount {
    /// Whether every order of the account waits for somebody else's approval (Ask to Buy).
    public var asksToBuy: Bool { core.look { shell, _ in shell.state.operatorState.askingAccounts.contains(number) } }

    /// Turns Ask to Buy on or off for everything that the account orders from now on, as for a child.
    ///
    /// The authorizer decides first and may cancel or decline. What it approves is deferred until
    /// ``SandboxStore/decide(_:_:)``. The ledger keeps the setting.
    ///
    /// - Throws: the ledger's errors.
    public func setAsksToBuy(_ isOn: Bool) throws {
        try core.change { state, events, now in
            guard state.operatorState.askingAccounts.contains(number) != isOn else { return }
            events.append(LedgerRecord(date: now, event: .operator(.asksToBuy(account: number, isOn))))
        }
    }

    /// The account's orders that wait for a decision, oldest first.
    public var undecided: [AuthorizationRequest] {
        core.look { shell, now in
            shell.questions(at: now) { shell.state.transactions[$0]?.account == number }
        }
    }
}
