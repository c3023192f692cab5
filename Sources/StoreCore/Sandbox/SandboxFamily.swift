import Foundation

/// A group of accounts that share purchases: the organizer of the family, and its members.
///
/// ```swift
/// let family = try store.addFamily("smiths", organizer: store.account)
/// try family.add(bob)
/// ```
///
/// One member's purchase of a product that is ``SandboxProduct/isFamilyShareable`` entitles the others too, and each
/// receives a transaction of its own. The value is a handle: copies refer to the same family and retain the store's
/// state. Any thread may call any member.
public struct SandboxFamily: Sendable {
    let driver: SandboxDriver
    let number: FamilyID

    /// The family's name, unique in its store.
    public var name: String { driver.state.withLock { $0.state.families.all[number].name } }

    /// The accounts in the family, the organizer first; empty once the organizer has left.
    public var members: [SandboxAccount] {
        driver.look { driverState, _ in
            driverState.state.families.all[number].members.map { SandboxAccount(driver: driver, number: $0) }
        }
    }

    /// Adds an account to the family.
    ///
    /// The account receives what the other members share: running subscriptions as purchased transactions, and
    /// non-consumables through a restore. The others receive the account's shared purchases in the same way.
    ///
    /// - Throws: ``SandboxError`` for an account of another store or one that is in a family already, and if the family
    ///   has ended; the ledger's errors.
    public func add(_ account: SandboxAccount) throws {
        guard account.driver === driver else { throw SandboxError(.foreignAccount(account.name)) }
        try driver.change { state, events, now in
            let family = state.families.all[number]
            guard !family.members.isEmpty else { throw SandboxError(.familyEnded(family.name)) }
            guard state.families.family(of: account.number) == nil else {
                throw SandboxError(.inFamily(state.accounts[account.number].name))
            }
            let change = FamilyChange.joined(family: number, account: account.number)
            events.append(LedgerRecord(date: now, event: .operator(.family(change))))
        }
    }

    /// Removes an account; removing the organizer removes everybody.
    ///
    /// The account and the other members lose access to the purchases that they shared with each other. Their devices
    /// are notified by ``SKPaymentTransactionObserver/paymentQueue(_:didRevokeEntitlementsForProductIdentifiers:)``.
    ///
    /// - Throws: ``SandboxError`` for an account that is not in the family, and the ledger's errors.
    public func remove(_ account: SandboxAccount) throws {
        guard account.driver === driver else { throw SandboxError(.foreignAccount(account.name)) }
        try driver.change { state, events, now in
            let members = state.families.all[number].members
            guard members.contains(account.number) else {
                throw SandboxError(.notInFamily(state.accounts[account.number].name))
            }
            let leaving = account.number == members[0] ? members : [account.number]
            let change = FamilyChange.left(family: number, accounts: leaving)
            events.append(LedgerRecord(date: now, event: .operator(.family(change))))
        }
    }
}

extension SandboxFamily: Hashable {
    /// Returns whether two values refer to the same family of the same store.
    public static func == (left: SandboxFamily, right: SandboxFamily) -> Bool {
        left.driver === right.driver && left.number == right.number
    }

    /// Hashes the store and the family.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(driver))
        hasher.combine(number)
    }
}

extension SandboxStore {
    /// Creates a family.
    ///
    /// - Parameters:
    ///   - name: the family's name; unique and not empty.
    ///   - organizer: the account that organizes the family.
    /// - Returns: the family, with the organizer as its only member.
    /// - Throws: ``SandboxError`` for an empty name or one in use, and for an organizer of another store or in a family
    ///   already; the ledger's errors.
    public func addFamily(_ name: String, organizer: SandboxAccount) throws -> SandboxFamily {
        guard organizer.driver === driver else { throw SandboxError(.foreignAccount(organizer.name)) }
        var number: FamilyID = 0
        try driver.change { state, events, now in
            guard !name.isEmpty, state.families.family(named: name) == nil else { throw SandboxError(.nameTaken(name)) }
            guard state.families.family(of: organizer.number) == nil else {
                throw SandboxError(.inFamily(state.accounts[organizer.number].name))
            }
            number = state.families.all.endIndex
            let change = FamilyChange.founded(name: name, organizer: organizer.number)
            events.append(LedgerRecord(date: now, event: .operator(.family(change))))
        }
        return SandboxFamily(driver: driver, number: number)
    }

    /// All families, oldest first.
    public var families: [SandboxFamily] {
        driver.look { driverState, _ in
            driverState.state.families.all.indices.map { SandboxFamily(driver: driver, number: $0) }
        }
    }
}

extension SandboxAccount {
    /// The family that the account is in, nil for none; an account is in one family at most.
    public var family: SandboxFamily? {
        driver.look { driverState, _ in
            driverState.state.families.family(of: number).map { SandboxFamily(driver: driver, number: $0) }
        }
    }

    /// Whether the account shares its purchases with its family; true by default.
    public var sharesPurchases: Bool { driver.look { driverState, _ in driverState.state.families.isSharing(number) } }

    /// Turns sharing of the account's purchases with its family on or off.
    ///
    /// When sharing is turned off, the other members lose access to the account's purchases, and their devices are
    /// notified. When it is turned on, they receive running subscriptions as purchased transactions, and
    /// non-consumables through a restore. The ledger stores the setting.
    ///
    /// - Throws: the ledger's errors.
    public func setSharesPurchases(_ isOn: Bool) throws {
        try driver.change { state, events, now in
            guard state.families.isSharing(number) != isOn else { return }
            let change = FamilyChange.sharing(account: number, isOn)
            events.append(LedgerRecord(date: now, event: .operator(.family(change))))
        }
    }
}
