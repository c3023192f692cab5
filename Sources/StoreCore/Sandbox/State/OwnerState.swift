import Foundation

/// The state that the operator's changes add up to.
struct OwnerState: Codable, Sendable {
    /// The accounts with Ask to Buy.
    var askingAccounts: Set<Int> = []
    /// The accounts whose orders are interrupted.
    var interruptedAccounts: Set<Int> = []
    /// The interrupted purchases, by their failed transactions.
    var issues: [Int: Issue] = [:]

    /// For each device, the purchases begun on the store's page of which its app has not been told, oldest first.
    var promotions: [Int: [Promotion]] = [:]
    /// The promotions that apps have changed on their devices.
    var promotionOverrides: [Int: PromotionOverrides] = [:]

    /// An interrupted purchase.
    struct Issue: Codable, Sendable {
        let account: Int
        let device: Int
        let payment: StorePayment
    }
}

extension SandboxState {
    /// Applies a change by the operator.
    mutating func apply(_ change: OwnerChange, _ date: Date) {
        switch change {
        case .asksToBuy(let account, let isOn):
            owner.askingAccounts.set(account, to: isOn)
        case .interruptsPurchases(let account, let isOn):
            owner.interruptedAccounts.set(account, to: isOn)
        case .interrupted(let order, let failure):
            open(order, .failed, date, failure: failure)
            keepIssue(order.transaction)
        case .interruptedLater(let number, let failure):
            decline(number, failure)
            keepIssue(number)
        case .resolved(let number, let purchase):
            owner.issues[number] = nil
            deliver(purchase, date)
        case .bought(let purchase):
            deliver(purchase, date)
        case .storefront(let countryCode):
            catalog.countryCode = countryCode
        case .promoted(let device, let product):
            let promotion = OwnerState.Promotion(position: position, productIdentifier: product)
            owner.promotions[device, default: []].append(promotion)
        case .newsTold(let device, let position):
            owner.promotions[device]?.removeAll { $0.position <= position }
            let isSameUser = devices[device].start <= position
            revocations.tell(devices[device].account, on: device, through: isSameUser ? position : -1)
        case .promotionChanged(let device, let change):
            owner.promotionOverrides[device, default: PromotionOverrides()].apply(change)
        case .refunded(let refund):
            apply(refund, date)
        case .deleted(let deletion):
            apply(deletion)
        case .cleared(let withdrawn):
            clear(withdrawn)
        case .family(let change):
            apply(change, date)
        }
    }

    private mutating func keepIssue(_ number: Int) {
        guard let row = transactions[number] else { return }
        owner.issues[number] = OwnerState.Issue(
            account: Int(row.account),
            device: Int(row.device),
            payment: row.transaction.payment
        )
    }

    /// Adds the updates that an operator's change, already applied, means for a queue on a device.
    func addUpdates(from change: OwnerChange, for device: Int, to updates: inout [StoreUpdate]) {
        switch change {
        // A promotion on the store's page is described in the device's language, by the code that knows the language.
        case .asksToBuy, .interruptsPurchases, .promoted, .newsTold, .promotionChanged: break
        case .interrupted(let order, _):
            if order.device == device { addTransaction(order.transaction, for: device, to: &updates) }
        case .interruptedLater(let number, _):
            addTransaction(number, for: device, to: &updates)
        case .storefront(let countryCode):
            updates.append(.storefront(Storefronts.storefront(countryCode)))
        case .resolved(_, let purchase), .bought(let purchase):
            addTransaction(purchase.transaction, for: device, to: &updates)
        case .refunded(let refund):
            addRevocation(of: refund.revoked, from: refund.account, for: device, to: &updates)
        case .deleted(let deletion):
            addWithdrawals(deletion.withdrawn, for: device, to: &updates)
        case .cleared(let withdrawn):
            addWithdrawals(withdrawn, for: device, to: &updates)
        case .family(let change):
            addUpdates(from: change, for: device, to: &updates)
        }
    }

    /// Whether Ask to Buy applies to a payment, whatever the authorizer says.
    @inline(__always)
    func asksToBuy(_ payment: StorePayment, for account: Int) -> Bool {
        payment.simulatesAskToBuyInSandbox
            || (!owner.askingAccounts.isEmpty && owner.askingAccounts.contains(account))
    }
}

extension Set {
    fileprivate mutating func set(_ element: Element, to isMember: Bool) {
        if isMember { insert(element) } else { remove(element) }
    }
}
