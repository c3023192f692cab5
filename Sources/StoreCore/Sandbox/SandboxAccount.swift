import Foundation

/// Somebody who buys from a sandbox store.
///
/// What an account buys on one device belongs to it on all of its devices; another account sees nothing of it. A handle:
/// copies mean the same account, and keep the store's state alive. Any thread may call anything.
public struct SandboxAccount: Sendable {
    let core: SandboxDriver
    let number: Int

    /// What the account is known by, unique in its store.
    public var name: String { core.shell.withLock { $0.state.accounts[number].name } }

    /// What the account may use now because it paid for it, or somebody in its family did, in no promised order.
    ///
    /// Consumables are used up, and how long a non-renewing subscription lasts is the app's affair: neither is among
    /// these.
    public var entitlements: [SandboxEntitlement] {
        core.look { shell, _ in
            let state = shell.state
            let account = state.accounts[number]
            let owned = account.owned.map { product in
                let purchase = (0..<account.history.count)
                    .first { account.history[$0].product == product && account.history[$0].isOwn }
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
                        transaction: String(term.original),
                        since: term.start,
                        isInGracePeriod: graceEnd != nil
                    )
                } + state.sharedEntitlements(of: number)
        }
    }

    /// What the account has been charged since the store's ledger began, in the prices that held when it was.
    ///
    /// Reads the ledger from its beginning: a question for the end of a test.
    ///
    /// - Throws: what keeps the ledger from being read.
    public var totalCharged: Decimal {
        get throws {
            try transactions.reduce(0) { $0 + ($1.charge ?? 0) }
        }
    }

    /// The account's auto-renewable subscriptions, one for each group it ever subscribed to, the first one first.
    public var subscriptions: [SandboxSubscription] {
        core.look { shell, _ in
            let state = shell.state
            return state.subscriptions.all(of: number).map {
                SandboxSubscription($0, state.subscriptions, state.catalog)
            }
        }
    }

    /// What the account has of a subscription group; nil if it never subscribed to it.
    public func subscription(inGroup group: String) -> SandboxSubscription? {
        subscriptions.first { $0.groupIdentifier == group }
    }

    /// Turns a running subscription's renewal on or off, as its user would in the store's own settings.
    ///
    /// Turned off, it ends with the period that is paid for; at once where the last renewal could not be paid for.
    ///
    /// - Throws: ``SandboxError/notSubscribed(group:)``, and what the ledger throws.
    public func setAutoRenew(_ isOn: Bool, inGroup group: String) throws {
        try changeRunning(group) { state, index, now, rate in state.setAutoRenew(isOn, of: index, at: now, rate) }
    }
}

extension SandboxAccount: Hashable {
    /// Equal when they are one account of one store.
    public static func == (left: SandboxAccount, right: SandboxAccount) -> Bool {
        left.core === right.core && left.number == right.number
    }

    /// Hashes the store and the account.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(core))
        hasher.combine(number)
    }
}
