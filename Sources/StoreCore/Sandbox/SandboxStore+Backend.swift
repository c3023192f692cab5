import Foundation

// A store is a backend: that of its first device.
extension SandboxStore: StoreBackend {
    /// The lane of its calls: the thread that the app called on, as the store is in the process and never blocks,
    /// unless its ledger does, which then names one (``DurableLedger/lane``).
    public var lane: BackendLane { core.lane }

    /// Whether the user of the first device may pay.
    public var canMakePayments: Bool { core.canMakePayments(on: 0) }

    /// Accepts the first device's commands.
    ///
    /// Replies before it returns; the authorizer is asked after the reply.
    public func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        core.submit(commands, from: 0, reply: reply)
    }

    /// Sends the first device's unfinished transactions, then the changes; or only the changes after a cursor.
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

    /// Returns whether an identifier is on sale now, or nil while the ledger cannot be read.
    public func sells(_ productIdentifier: String) -> Bool? { core.sells(productIdentifier) }

    /// Returns the signed receipt of an unfinished transaction of the first device that is purchased or restored, or
    /// nil for every other; see ``SandboxDevice/receipt(forTransaction:)``.
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
