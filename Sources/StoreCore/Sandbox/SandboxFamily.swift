import Foundation

/// Accounts that share what they buy: one that organises the family, and its members.
///
/// ```swift
/// let family = try store.addFamily("smiths", organiser: store.account)
/// try family.add(bob)
/// ```
///
/// Whatever one of them buys, if the product is ``SandboxProduct/isFamilyShareable``, the others may use too; each gets a
/// transaction of its own. A handle: copies mean the same family, and keep the store's state alive. Any thread may call
/// anything.
public struct SandboxFamily: Sendable {
    let core: SandboxDriver
    let number: Int

    /// What the family is known by, unique in its store.
    public var name: String { core.shell.withLock { $0.state.families.all[number].name } }

    /// The accounts in it, the organiser first; none once the organiser has left.
    public var members: [SandboxAccount] {
        core.look { shell, _ in
            shell.state.families.all[number].members.map { SandboxAccount(core: core, number: $0) }
        }
    }

    /// Has an account join.
    ///
    /// The running subscriptions that the others share come to it as purchased; what they own for good comes with a
    /// restore. What it owns itself is shared with them likewise.
    ///
    /// - Throws: ``SandboxError/inFamily(_:)`` for an account that is in a family already, ``SandboxError/familyEnded(_:)``,
    ///   ``SandboxError/foreignAccount(_:)``, and what the ledger throws.
    public func add(_ account: SandboxAccount) throws {
        guard account.core === core else { throw SandboxError.foreignAccount(account.name) }
        try core.change { state, events, now in
            let family = state.families.all[number]
            guard !family.members.isEmpty else { throw SandboxError.familyEnded(family.name) }
            guard state.families.family(of: account.number) == nil else {
                throw SandboxError.inFamily(state.accounts[account.number].name)
            }
            let change = FamilyChange.joined(family: number, account: account.number)
            events.append(LedgerRecord(date: now, event: .owner(.family(change))))
        }
    }

    /// Has an account leave, on its own or because it is removed; with the organiser everybody leaves.
    ///
    /// It loses what the others shared with it, and they what it shared with them. Their devices hear of it by
    /// ``SKPaymentTransactionObserver/paymentQueue(_:didRevokeEntitlementsForProductIdentifiers:)``.
    ///
    /// - Throws: ``SandboxError/notInFamily(_:)`` for an account that is not in it, and what the ledger throws.
    public func remove(_ account: SandboxAccount) throws {
        guard account.core === core else { throw SandboxError.foreignAccount(account.name) }
        try core.change { state, events, now in
            let members = state.families.all[number].members
            guard members.contains(account.number) else {
                throw SandboxError.notInFamily(state.accounts[account.number].name)
            }
            let leaving = account.number == members[0] ? members : [account.number]
            let change = FamilyChange.left(family: number, accounts: leaving)
            events.append(LedgerRecord(date: now, event: .owner(.family(change))))
        }
    }
}

extension SandboxFamily: Hashable {
    /// Equal when they are one family of one store.
    public static func == (left: SandboxFamily, right: SandboxFamily) -> Bool {
        left.core === right.core && left.number == right.number
    }

    /// Hashes the store and the family.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(core))
        hasher.combine(number)
    }
}

extension SandboxStore {
    /// Sets a family up.
    ///
    /// - Parameters:
    ///   - name: what it is to be known by; not empty, and of no other family.
    ///   - organiser: the account that organises it.
    /// - Returns: the family, with the organiser alone in it.
    /// - Throws: ``SandboxError/nameTaken(_:)``, ``SandboxError/inFamily(_:)``, ``SandboxError/foreignAccount(_:)``, and
    ///   what the ledger throws.
    public func addFamily(_ name: String, organiser: SandboxAccount) throws -> SandboxFamily {
        guard organiser.core === core else { throw SandboxError.foreignAccount(organiser.name) }
        var number = 0
        try core.change { state, events, now in
            guard !name.isEmpty, state.families.family(named: name) == nil else { throw SandboxError.nameTaken(name) }
            guard state.families.family(of: organiser.number) == nil else {
                throw SandboxError.inFamily(state.accounts[organiser.number].name)
            }
            number = state.families.all.count
            let change = FamilyChange.founded(name: name, organiser: organiser.number)
            events.append(LedgerRecord(date: now, event: .owner(.family(change))))
        }
        return SandboxFamily(core: core, number: number)
    }

    /// All families, the first one first.
    public var families: [SandboxFamily] {
        core.look { shell, _ in shell.state.families.all.indices.map { SandboxFamily(core: core, number: $0) } }
    }
}

extension SandboxAccount {
    /// The family that the account is in, nil for none.
    public var family: SandboxFamily? {
        core.look { shell, _ in
            shell.state.families.family(of: number).map { SandboxFamily(core: core, number: $0) }
        }
    }

    /// Whether the account shares what it buys with its family; true to begin with.
    public var sharesPurchases: Bool { core.look { shell, _ in shell.state.families.isSharing(number) } }

    /// Has the account share what it buys with its family, or not.
    ///
    /// Turned off, the others lose what it shares, and their devices hear of it. Turned on, its running subscriptions come
    /// to them as purchased, and what it owns for good with a restore.
    ///
    /// - Throws: what the ledger throws.
    public func setSharesPurchases(_ isOn: Bool) throws {
        try core.change { state, events, now in
            guard state.families.isSharing(number) != isOn else { return }
            let change = FamilyChange.sharing(account: number, isOn)
            events.append(LedgerRecord(date: now, event: .owner(.family(change))))
        }
    }
}
