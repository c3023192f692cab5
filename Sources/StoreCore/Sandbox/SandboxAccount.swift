import Foundation

/// An account that buys from a sandbox store.
///
/// Purchases on one device belong to the account on all of its devices; other accounts do not see them. A handle:
/// copies refer to the same account, and keep the store's state alive. Any thread may call any member.
public struct SandboxAccount: Sendable {
    let core: SandboxDriver
    let number: AccountID

    /// The account's name, unique in its store.
    public var name: String { core.shell.withLock { $0.state.accounts[number].name } }

    /// The products that the account may use now, paid for by itself or by a member of its family, in no promised
    /// order.
    ///
    /// Consumables are used up, and the app decides how long a non-renewing subscription lasts: neither is included.
    public var entitlements: [SandboxEntitlement] {
        core.look { shell, _ in
            let state = shell.state
            let account = state.accounts[number]
            let owned = account.owned.map { product in
                let purchase = account.history.ownPurchases(of: product).first
                    .flatMap { account.history[$0].asOriginal.original }
                return SandboxEntitlement(
                    productIdentifier: state.catalog[product].identifier,
                    expirationDate: nil,
                    transaction: purchase?.identifier ?? "",
                    since: purchase?.date ?? .distantPast
                )
            }
            let running = state.subscriptions.all(of: number).filter { state.subscriptions.isEntitled($0) }
            return owned
                + running.map { index in
                    let term = state.subscriptions[index].term
                    let graceEnd = state.subscriptions.trouble(of: index)?.graceEnd
                    return SandboxEntitlement(
                        productIdentifier: state.catalog[term.product].identifier,
                        expirationDate: graceEnd ?? term.end,
                        transaction: term.original.identifier,
                        since: term.start,
                        isInGracePeriod: graceEnd != nil
                    )
                } + state.sharedEntitlements(of: number)
        }
    }

    /// The total charged to the account since the store's ledger began, at the prices of the time.
    ///
    /// Reads the ledger from its beginning: meant for the end of a test.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var totalCharged: Decimal {
        get throws {
            try transactions.reduce(0) { $0 + ($1.charge ?? 0) }
        }
    }

    /// The account's auto-renewable subscriptions, one for each group that it ever subscribed to, oldest first.
    public var subscriptions: [SandboxSubscription] {
        core.look { shell, _ in
            let state = shell.state
            return state.subscriptions.all(of: number).map {
                SandboxSubscription($0, state.subscriptions, state.catalog)
            }
        }
    }

    /// Returns the account's subscription in a group, or nil if it never subscribed to it.
    public func subscription(inGroup group: String) -> SandboxSubscription? {
        subscriptions.first { $0.groupIdentifier == group }
    }

    /// Turns a running subscription's renewal on or off, as its user would in the store's own settings.
    ///
    /// Turned off, the subscription ends with the paid period, or at once if the last renewal could not be paid for.
    ///
    /// - Throws: ``SandboxError/notSubscribed(group:)``, and the ledger's errors.
    public func setAutoRenew(_ isOn: Bool, inGroup group: String) throws {
        try changeRunning(group) { state, index, now, rate in state.setAutoRenew(isOn, of: index, at: now, rate) }
    }
}

extension SandboxAccount: Hashable {
    /// Returns whether two values refer to the same account of the same store.
    public static func == (left: SandboxAccount, right: SandboxAccount) -> Bool {
        left.core === right.core && left.number == right.number
    }

    /// Hashes the store and the account.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(core))
        hasher.combine(number)
    }
}
