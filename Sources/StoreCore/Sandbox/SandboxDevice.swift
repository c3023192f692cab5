import Foundation

/// A device on which somebody buys from a sandbox store: a backend of its own.
///
/// ```swift
/// let alice = try store.addAccount("alice")
/// let tablet = try store.addDevice("tablet", signedInTo: alice)
/// let queue = SKPaymentQueue(backend: tablet)
/// ```
///
/// A queue on it hears of what was ordered on this device by the account that is signed in, and of what nobody ordered,
/// such as renewals, until one of the account's devices has finished it. What was bought on another device comes with a
/// restore. A handle: the store's state lives as long as one is there. Any thread may call anything.
public final class SandboxDevice: Sendable {
    let core: SandboxDriver
    let number: Int

    init(_ core: SandboxDriver, _ number: Int) {
        self.core = core
        self.number = number
    }

    /// What the device is known by, unique in its store.
    public var name: String { core.shell.withLock { $0.state.devices[number].name } }

    /// Who is signed in, nil for nobody.
    public var account: SandboxAccount? {
        core.look { shell, _ in
            let account = shell.state.devices[number].account
            return account < 0 ? nil : SandboxAccount(core: core, number: account)
        }
    }

    /// Signs an account in, in place of whoever was.
    ///
    /// The unfinished transactions of the one before leave the device's queues, and come back when they sign in again.
    /// What was ordered and has not reached the store yet is paid for by whoever is signed in when it does.
    ///
    /// - Throws: ``SandboxError/foreignAccount(_:)``, and what the ledger throws.
    public func signIn(to account: SandboxAccount) throws {
        guard account.core === core else { throw SandboxError.foreignAccount(account.name) }
        try signIn(account.number)
    }

    /// Signs out whoever is signed in.
    ///
    /// Until somebody signs in, purchases and restores are refused with `clientInvalid`.
    ///
    /// - Throws: what the ledger throws.
    public func signOut() throws { try signIn(nil) }

    private func signIn(_ account: Int?) throws {
        try core.change { state, events, now in
            guard state.devices[number].account != account ?? -1 else { return }
            events.append(LedgerRecord(date: now, event: .signedIn(device: number, account: account)))
        }
    }

    /// Lets the user of the device pay, or not.
    ///
    /// What is bought while not is refused with `paymentNotAllowed`.
    ///
    /// - Throws: what the ledger throws.
    public func setPaymentsAllowed(_ isAllowed: Bool) throws {
        try core.change { _, events, now in
            events.append(LedgerRecord(date: now, event: .paymentsAllowed(device: number, isAllowed)))
        }
    }

    /// Whether this device can reach the store while others can.
    ///
    /// While it cannot, its queues keep what they have to say and its requests and downloads fail with a `URLError`.
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

    /// The device's language, as in `en_GB`; the store's unless it is given one.
    public var locale: String {
        get { core.shell.withLock { $0.settings.locales[number] ?? $0.settings.locale } }
        set { core.shell.withLock { $0.settings.locales[number] = newValue } }
    }
}

extension SandboxDevice: StoreBackend {
    /// The store's clock.
    public var clock: any StoreClock { core.clock }

    /// On whichever thread the app called, unless the store's ledger says where (``DurableLedger/lane``).
    public var lane: BackendLane { core.lane }

    /// Whether the device's user may pay.
    public var canMakePayments: Bool { core.canMakePayments(on: number) }

    /// Takes the device's commands in.
    ///
    /// Replies before it returns; what the authorizer has to be asked is asked then.
    public func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        core.submit(commands, from: number, reply: reply)
    }

    /// Sends what is unfinished on the device, then what changes; or what changed after a cursor.
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

    /// Whether an identifier is on sale now; nil while the ledger cannot be read.
    public func sells(_ productIdentifier: String) -> Bool? { core.sells(productIdentifier) }

    /// The signed receipt of an unfinished transaction that the device sees as purchased or restored, nil for every
    /// other.
    ///
    /// It says all that the store knows of the payment: a restored transaction and a renewal have their own identifier
    /// and date, and the original's beside them. Made anew each time.
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
