import Foundation

/// The accumulated state of the operator's changes.
struct OperatorState: StatePart, Equatable {
    /// The accounts with Ask to Buy.
    var askingAccounts: Set<AccountID> = []
    /// The accounts whose orders are interrupted.
    var interruptedAccounts: Set<AccountID> = []
    /// The interrupted purchases, by their failed transactions.
    var issues: [TransactionNumber: Issue] = [:]

    /// For each device, the purchases begun on the store's page that its app has not received, oldest first.
    var promotions: [DeviceID: [Promotion]] = [:]
    /// For each device, its app's changes to the promotions on the store's page.
    var promotionOverrides: [DeviceID: PromotionOverrides] = [:]
    /// For each device with such changes, the position in the ledger of the latest.
    var promotionPositions: [DeviceID: Int] = [:]

    /// The tokens of devices in other processes or on other machines.
    var tokens = DeviceTokens()

    /// The purchases of the app that were set; nil, as in snapshots of older versions, while there are none.
    private var setAppPurchases: AppPurchases?

    /// The purchases of the app that were set.
    var appPurchases: AppPurchases {
        get { setAppPurchases ?? AppPurchases() }
        set { setAppPurchases = newValue == AppPurchases() ? nil : newValue }
    }

    /// The purchases outside of the store; nil, as in snapshots of older versions, until there is a token.
    var external: ExternalPurchases?

    /// An interrupted purchase.
    struct Issue: Hashable, Codable, Sendable {
        let account: AccountID
        let device: DeviceID
        let payment: StorePayment
    }
}

extension SandboxState {
    /// Applies a change by the operator.
    mutating func apply(_ change: OperatorChange, _ date: Date) {
        switch change {
        case .asksToBuy(let account, let isOn): operatorState.askingAccounts.set(account, to: isOn)
        case .interruptsPurchases(let account, let isOn): operatorState.interruptedAccounts.set(account, to: isOn)
        case .appPurchase(let account, let purchase): operatorState.appPurchases[account] = purchase
        case .interrupted(let order, let failure):
            open(order, .failed, date, failure: failure)
            storeIssue(order.transaction)
        case .interruptedLater(let number, let failure):
            decline(number, failure)
            storeIssue(number)
        case .resolved(let number, let purchase):
            operatorState.issues[number] = nil
            deliver(purchase, date)
        case .bought(let purchase): deliver(purchase, date)
        case .storefront(let countryCode):
            catalog.countryCode = countryCode
            // Earlier transactions' records do not contain their country, so the records alone no longer describe them.
            forgetPlaces()
        case .promoted(let device, let product):
            let promotion = OperatorState.Promotion(position: position, productIdentifier: product)
            operatorState.promotions[device, default: []].append(promotion)
        case .newsTold(let device, let position):
            operatorState.promotions[device]?.removeAll { $0.position <= position }
            // An acknowledgement from before this account signed in was about another account.
            if devices[device].start <= position, let account = devices[device].account {
                revocations.removeNotices(of: account, on: device, through: position)
            }
        case .promotionChanged(let device, let change):
            operatorState.promotionOverrides[device, default: PromotionOverrides()].apply(change)
            operatorState.promotionPositions[device] = position
        case .tokenMade(let device, let digest): operatorState.tokens.add(digest, for: device)
        case .tokensRevoked(let device): operatorState.tokens.revoke(allOf: device)
        case .refunded(let refund): apply(refund, date)
        case .deleted(let deletion): apply(deletion)
        case .cleared(let withdrawn): clear(withdrawn)
        case .family(let change): apply(change, date)
        case .server(let change): apply(change, date)
        case .external(let change): apply(change, date)
        }
    }

    private mutating func storeIssue(_ number: TransactionNumber) {
        guard let row = transactions[number], let account = row.account, let device = row.device else { return }
        operatorState.issues[number] = OperatorState.Issue(
            account: account,
            device: device,
            payment: row.transaction.payment
        )
    }

    /// Adds the updates that a queue on a device receives after an operator's change, which the state has applied.
    func addUpdates(from change: OperatorChange, for device: DeviceID, to updates: inout [StoreUpdate]) {
        switch change {
        // The update of a promotion is added elsewhere, since its description depends on the device's language.
        case .asksToBuy, .interruptsPurchases, .appPurchase, .promoted, .newsTold, .promotionChanged, .tokenMade,
            .tokensRevoked, .external:
            break
        case .interrupted(let order, _):
            if order.device == device { addTransaction(order.transaction, for: device, to: &updates) }
        case .interruptedLater(let number, _): addTransaction(number, for: device, to: &updates)
        case .storefront(let countryCode): updates.append(.storefront(Storefronts.storefront(countryCode)))
        case .resolved(_, let purchase), .bought(let purchase):
            addTransaction(purchase.transaction, for: device, to: &updates)
        case .refunded(let refund): addRevocation(of: refund.revoked, from: refund.account, for: device, to: &updates)
        case .deleted(let deletion): addWithdrawals(deletion.withdrawn, for: device, to: &updates)
        case .cleared(let withdrawn): addWithdrawals(withdrawn, for: device, to: &updates)
        case .family(let change): addUpdates(from: change, for: device, to: &updates)
        case .server(let change): addUpdates(from: change, for: device, to: &updates)
        }
    }
}

extension Set {
    fileprivate mutating func set(_ element: Element, to isMember: Bool) {
        if isMember { insert(element) } else { remove(element) }
    }
}

/// The tokens of a store's devices, as digests.
struct DeviceTokens: Hashable, Codable, Sendable {
    private struct Entry: Hashable, Codable, Sendable {
        let digest: TokenDigest
        let device: DeviceID
    }

    /// The tokens by the prefix of their digests.
    private var entries: [String: [Entry]] = [:]

    /// Returns the device that a token is for, or nil if the token was never issued or has been revoked.
    func device(of digest: TokenDigest) -> DeviceID? {
        entries[digest.prefix]?.first { $0.digest.isEqual(to: digest) }?.device
    }

    /// Returns the number of a device's tokens.
    func count(of device: DeviceID) -> Int { entries.values.joined().count { $0.device == device } }

    mutating func add(_ digest: TokenDigest, for device: DeviceID) {
        entries[digest.prefix, default: []].append(Entry(digest: digest, device: device))
    }

    mutating func revoke(allOf device: DeviceID) {
        entries = entries.compactMapValues { entries in
            let left = entries.filter { $0.device != device }
            return left.isEmpty ? nil : left
        }
    }
}

/// The purchases of the app that were set.
struct AppPurchases: Hashable, Codable, Sendable {
    private var ofStore = AppPurchase()
    private var ofAccounts: [AccountID: AppPurchase] = [:]

    /// What was set for an account, or for the whole store.
    subscript(account: AccountID?) -> AppPurchase {
        get { account.map { ofAccounts[$0] ?? AppPurchase() } ?? ofStore }
        set {
            guard let account else {
                ofStore = newValue
                return
            }
            ofAccounts[account] = newValue == AppPurchase() ? nil : newValue
        }
    }

    /// Returns what the payloads for an account state, or those for nobody.
    func stated(for account: AccountID?) -> AppPurchase {
        let own = self[account]
        return AppPurchase(
            version: own.version ?? ofStore.version,
            date: own.date ?? ofStore.date,
            platform: own.platform ?? ofStore.platform
        )
    }
}
