import Foundation

// Who buys, and on what. A store begins with one account, "account", signed in on one device, "device".
extension SandboxStore {
    /// The first account, which is signed in on the first device to begin with.
    public var account: SandboxAccount { SandboxAccount(core: core, number: 0) }

    /// The first device, whose backend the store itself is too.
    public var device: SandboxDevice { SandboxDevice(core, 0) }

    /// All accounts, the first one first.
    public var accounts: [SandboxAccount] {
        core.look { shell, _ in shell.state.accounts.indices.map { SandboxAccount(core: core, number: $0) } }
    }

    /// All devices, the first one first.
    public var devices: [SandboxDevice] {
        core.look { shell, _ in shell.state.devices.indices.map { SandboxDevice(core, $0) } }
    }

    /// The account of a name, nil where nobody opened one.
    ///
    /// A store that continues a ledger has the accounts and devices that are in it.
    public func account(named name: String) -> SandboxAccount? {
        core.look { shell, _ in
            shell.state.account(named: name).map { SandboxAccount(core: core, number: $0) }
        }
    }

    /// The device of a name, nil where nobody set one up.
    public func device(named name: String) -> SandboxDevice? {
        core.look { shell, _ in shell.state.device(named: name).map { SandboxDevice(core, $0) } }
    }

    /// Opens an account.
    ///
    /// - Parameter name: what it is to be known by; not empty, and of no other account.
    /// - Returns: the account, which has bought nothing yet.
    /// - Throws: ``SandboxError/nameTaken(_:)``, and what the ledger throws.
    public func addAccount(_ name: String) throws -> SandboxAccount {
        var number = 0
        try core.change { state, events, now in
            guard !name.isEmpty, state.account(named: name) == nil else { throw SandboxError.nameTaken(name) }
            number = state.accounts.count
            events.append(LedgerRecord(date: now, event: .accountAdded(name: name)))
        }
        return SandboxAccount(core: core, number: number)
    }

    /// Sets a device up.
    ///
    /// - Parameters:
    ///   - name: what it is to be known by; not empty, and of no other device.
    ///   - account: who is signed in on it, nil for nobody.
    /// - Returns: the device, a backend to make queues on.
    /// - Throws: ``SandboxError/nameTaken(_:)``, ``SandboxError/foreignAccount(_:)``, and what the ledger throws.
    public func addDevice(_ name: String, signedInTo account: SandboxAccount?) throws -> SandboxDevice {
        if let account, account.core !== core { throw SandboxError.foreignAccount(account.name) }
        var number = 0
        try core.change { state, events, now in
            guard !name.isEmpty, state.device(named: name) == nil else { throw SandboxError.nameTaken(name) }
            number = state.devices.count
            events.append(LedgerRecord(date: now, event: .deviceAdded(name: name, account: account?.number)))
        }
        return SandboxDevice(core, number)
    }
}
