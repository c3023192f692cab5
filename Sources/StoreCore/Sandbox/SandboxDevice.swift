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

    /// Allows or forbids payments by the device's user.
    ///
    /// While forbidden, purchases are refused with `paymentNotAllowed`.
    ///
    /// - Throws: the ledger's errors.
    public func setPaymentsAllowed(_ isAllowed: Bool) throws {
        try core.change { _, events, now in
            events.append(LedgerRecord(date: now, event: .paymentsAllowed(device: number, isAllowed)))
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

    /// The device's language, as in `en_GB`; the store's unless set.
    public var locale: String {
        get { core.shell.withLock { $0.settings.locales[number] ?? $0.settings.locale } }
        set { core.shell.withLock { $0.settings.locales[number] = newValue } }
    }
}

extension SandboxDevice: StoreBackend {
    /// The store's clock.
    public var clock: any StoreClock { core.clock }

    /// The lane of its calls: the thread that the app called on, unless the ledger names one (``DurableLedger/lane``).
    public var lane: BackendLane { core.lane }

    /// Whether the device's user may pay.
    public var canMakePayments: Bool { core.canMakePayments(on: number) }

    /// Accepts the device's commands.
    ///
    /// Replies before it returns; the authorizer is asked after the reply.
    public func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        core.submit(commands, from: number, reply: reply)
    }

    /// Sends the device's unfinished transactions, then the changes; or only the changes after a cursor.
    public func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        core.connect(receiver, from: number, after: cursor)
    }

    /// Stops sending to a receiver.
    public func disconnect(_ receiver: any StoreUpdateReceiver) { core.disconnect(receiver) }

    /// Looks up products, in the device's language and the storefront's currency.
    ///
    /// Replies before it returns.
    public func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        CallScope.outermost { reply(core.products(identifiers, for: number)) }
    }

    /// Returns whether an identifier is on sale now, or nil while the ledger cannot be read.
    public func sells(_ productIdentifier: String) -> Bool? { core.sells(productIdentifier) }

    /// Returns the signed receipt of an unfinished transaction that the device sees as purchased or restored, or nil
    /// for every other.
    ///
    /// It contains all that the store knows of the payment: a restored transaction and a renewal have their own
    /// identifier and date, next to the original's. Created anew each time.
    public func receipt(forTransaction identifier: String) -> Data? {
        core.receipt(forTransaction: identifier, on: number)
    }
}

extension SandboxDevice: ImmediateStore {
    package var isSelfContained: Bool { core.isSelfContained }

    package func openConnection(
        _ listener: any NewsListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        core.open(listener, from: number, journal: journal, after: cursor)
    }

    package func closeConnection(_ connection: StoreConnectionID) { core.close(connection) }

    package func exchange(
        _ commands: [StoreCommand],
        on connection: StoreConnectionID?,
        into exchange: inout Exchange
    ) {
        core.exchange(commands, from: number, on: connection, into: &exchange)
    }

    package func exchange(
        _ command: StoreCommand,
        on connection: StoreConnectionID?,
        into exchange: inout Exchange
    ) {
        core.exchange(command, from: number, on: connection, into: &exchange)
    }
}
