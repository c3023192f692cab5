import Foundation

// A store is a backend: that of its first device.
extension SandboxStore: StoreBackend {
    /// On whichever thread the app called: the store is in the process and never blocks, unless its ledger does, which
    /// then says where (``DurableLedger/lane``).
    public var lane: BackendLane { core.lane }

    /// Whether the user of the first device may pay.
    public var canMakePayments: Bool { core.canMakePayments(on: 0) }

    /// Takes the first device's commands in.
    ///
    /// Replies before it returns; what the authorizer has to be asked is asked then.
    public func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        core.submit(commands, from: 0, reply: reply)
    }

    /// Sends what is unfinished on the first device, then what changes; or what changed after a cursor.
    public func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        core.connect(receiver, from: 0, after: cursor)
    }

    /// Stops sending to a receiver.
    public func disconnect(_ receiver: any StoreUpdateReceiver) { core.disconnect(receiver) }

    /// Looks up products, in the first device's language and the storefront's currency.
    ///
    /// Replies before it returns.
    public func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        CallScope.outermost { reply(core.products(identifiers, for: 0)) }
    }

    /// Whether an identifier is on sale now; nil while the ledger cannot be read.
    public func sells(_ productIdentifier: String) -> Bool? { core.sells(productIdentifier) }

    /// The signed receipt of an unfinished transaction of the first device's that is purchased or restored, nil for
    /// every other; see ``SandboxDevice/receipt(forTransaction:)``.
    public func receipt(forTransaction identifier: String) -> Data? {
        core.receipt(forTransaction: identifier, on: 0)
    }
}

extension SandboxStore: ImmediateStore {
    package var isSelfContained: Bool { core.isSelfContained }

    package func openConnection(
        _ listener: any NewsListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        core.open(listener, from: 0, journal: journal, after: cursor)
    }

    package func closeConnection(_ connection: StoreConnectionID) { core.close(connection) }

    package func exchange(
        _ commands: [StoreCommand],
        on connection: StoreConnectionID?,
        into exchange: inout Exchange
    ) {
        core.exchange(commands, from: 0, on: connection, into: &exchange)
    }

    package func exchange(
        _ command: StoreCommand,
        on connection: StoreConnectionID?,
        into exchange: inout Exchange
    ) {
        core.exchange(command, from: 0, on: connection, into: &exchange)
    }
}
