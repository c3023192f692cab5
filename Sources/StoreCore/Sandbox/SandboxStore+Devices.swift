import Foundation

// Accounts and devices. A store begins with one account, "account", signed in on one device, "device".
extension SandboxStore {
    /// The first account, initially signed in on the first device.
    public var account: SandboxAccount { SandboxAccount(core: core, number: 0) }

    /// All accounts, oldest first.
    public var accounts: [SandboxAccount] {
        core.look { shell, _ in shell.state.accounts.indices.map { SandboxAccount(core: core, number: $0) } }
    }

    /// All devices, oldest first.
    public var devices: [SandboxDevice] {
        core.look { shell, _ in shell.state.devices.indices.map { SandboxDevice(core, $0) } }
    }

    /// Returns the account with a name, or nil if there is none.
    ///
    /// A store that continues a ledger has the ledger's accounts and devices.
    public func account(named name: String) -> SandboxAccount? {
        core.look { shell, _ in
            shell.state.account(named: name).map { SandboxAccount(core: core, number: $0) }
        }
    }

    /// Returns the device with a name, or nil if there is none.
    public func device(named name: String) -> SandboxDevice? {
        core.look { shell, _ in shell.state.device(named: name).map { SandboxDevice(core, $0) } }
    }

    /// Adds an account.
    ///
    /// - Parameter name: the account's name; not empty, and of no other account.
    /// - Returns: the account, without purchases.
    /// - Throws: ``SandboxError/nameTaken(_:)``, and the ledger's errors.
    public func addAccount(_ name: String) throws -> SandboxAccount {
        var number: AccountID = 0
        try core.change { state, events, now in
            guard !name.isEmpty, state.account(named: name) == nil else { throw SandboxError.nameTaken(name) }
            number = state.accounts.endIndex
            events.append(LedgerRecord(date: now, event: .accountAdded(name: name)))
        }
        return SandboxAccount(core: core, number: number)
    }

    /// Adds a device.
    ///
    /// - Parameters:
    ///   - name: the device's name; not empty, and of no other device.
    ///   - account: the account that is signed in on it, nil for none.
    /// - Returns: the device, a backend to make queues on.
    /// - Throws: ``SandboxError/nameTaken(_:)``, ``SandboxError/foreignAccount(_:)``, and the ledger's errors.
    public func addDevice(_ name: String, signedInTo account: SandboxAccount?) throws -> SandboxDevice {
        if let account, account.core !== core { throw SandboxError.foreignAccount(account.name) }
        var number: DeviceID = 0
        try core.change { state, events, now in
            guard !name.isEmpty, state.device(named: name) == nil else { throw SandboxError.nameTaken(name) }
            number = state.devices.endIndex
            events.append(LedgerRecord(date: now, event: .deviceAdded(name: name, account: account?.number)))
        }
        return SandboxDevice(core, number)
    }
}
