import Foundation

/// A device on which an account buys from a sandbox store: a backend of its own.
///
/// ```swift
/// let alice = try store.addAccount("alice")
/// let tablet = try store.addDevice("tablet", signedInTo: alice)
/// let queue = SKPaymentQueue(backend: tablet)
/// ```
///
/// A queue on it receives the signed-in account's orders from this device, and transactions that nobody ordered, such
/// as renewals, until one of the account's devices has finished them. Purchases on another device come with a restore.
/// A handle: the store's state lives as long as any handle does. Any thread may call any member.
public final class SandboxDevice: Sendable {
    let core: SandboxDriver
    let number: DeviceID

    init(_ core: SandboxDriver, _ number: DeviceID) {
        self.core = core
        self.number = number
    }

    /// The device's name, unique in its store.
    public var name: String { core.shell.withLock { $0.state.devices[number].name } }

    /// The account that is signed in, nil for none.
    public var account: SandboxAccount? {
        core.look { shell, _ in
            shell.state.devices[number].account.map { SandboxAccount(core: core, number: $0) }
        }
    }

    /// Signs an account in, in place of the current one.
    ///
    /// The unfinished transactions of the previous account leave the device's queues, and come back when it signs in
    /// again. An order that has not reached the store yet is paid for by the account that is signed in when it does.
    ///
    /// - Throws: ``SandboxError/foreignAccount(_:)``, and the ledger's errors.
    public func signIn(to account: SandboxAccount) throws {
        guard account.core === core else { throw SandboxError.foreignAccount(account.name) }
        try signIn(account.number)
    }

    /// Signs the account out.
    ///
    /// Until an account signs in, purchases and restores are refused with `clientInvalid`.
    ///
    /// - Throws: the ledger's errors.
    public func signOut() throws { try signIn(nil) }

    private func signIn(_ account: AccountID?) throws {
        try core.change { state, events, now in
            guard state.devices[number].account != account else { return }
            events.append(LedgerRecord(date: now, event: .signedIn(device: number, account: account)))
        }
    }

    /// Whether this device can reach the store while others can.
    ///
    /// While it cannot, its queues keep their commands, and its requests and downloads fail with a `URLError`.
    public var isReachable: Bool {
        get { core.shell.withLock { !$0.settings.offline.contains(number) } }
        set {
            core.use { shell, _ in
                if newValue {
                    shell.settings.offline.remove(number)
                } else if shell.settings.offline.insert(number).inserted {
                    shell.breakConnections(of: number, SandboxDriver.unreachable)
                }
            }
            if !newValue { core.cutContent(of: number) }
        }
    }

    /// The vendor's identifier for the device: the 16 bytes from which an app receipt's ``AppReceipt/deviceHash`` is
    /// made.
    ///
    /// It follows from the names of device and app, so that a test can predict it.
    public var identifierForVendor: UUID { core.identifierForVendor(of: name) }

    /// The device's language, as in `en_GB`; the store's unless set.
    public var locale: String {
        get { core.shell.withLock { $0.settings.locales[number] ?? $0.settings.locale } }
        set { core.shell.withLock { $0.settings.locales[number] = newValue } }
    }
}
