import Foundation

/// What an owner's changes add up to.
struct OwnerState: Sendable {
    /// The accounts for whose orders somebody else is asked.
    var askingAccounts: Set<Int> = []
}

extension SandboxState {
    /// Takes in what an owner changed.
    mutating func apply(_ change: OwnerChange, _ date: Date) {
        switch change {
        case .asksToBuy(let account, let isOn):
            owner.askingAccounts.set(account, to: isOn)
        }
    }

    /// Adds what an owner's change, already applied, means to a queue on a device.
    func addUpdates(from change: OwnerChange, for device: Int, to updates: inout [StoreUpdate]) {
        switch change {
        case .asksToBuy: break
        }
    }

    /// Whether somebody else has to be asked about a payment, whatever the authoriser says.
    func asksToBuy(_ payment: StorePayment, for account: Int) -> Bool {
        payment.simulatesAskToBuyInSandbox || owner.askingAccounts.contains(account)
    }
}

extension Set {
    fileprivate mutating func set(_ element: Element, to isMember: Bool) {
        if isMember { insert(element) } else { remove(element) }
    }
}
