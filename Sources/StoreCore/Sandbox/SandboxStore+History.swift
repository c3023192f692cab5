import Foundation

// A store explains itself. All of this reads the ledger from its beginning: questions for the end of a test.
extension SandboxStore {
    /// What happened, line by line.
    ///
    /// - Throws: what keeps the ledger from being read.
    public var timeline: SandboxTimeline {
        get throws {
            try core.look { shell, _ in
                var history = LedgerHistory()
                var entries: [SandboxTimeline.Entry] = []
                var deliveries = (shell.deliveries ?? [])[...]
                func addDeliveries() {
                    while let next = deliveries.first, next.position <= history.state.position {
                        entries.append(next.entry)
                        deliveries.removeFirst()
                    }
                }
                addDeliveries()
                try shell.forEachRecord { record in
                    history.take(record)
                    entries.append(SandboxTimeline.Entry(record, history))
                    addDeliveries()
                }
                return SandboxTimeline(entries: entries)
            }
        }
    }

    /// Whether what is sent to devices from now on is in the ``timeline``; false to begin with.
    ///
    /// Turned off, what was traced is forgotten. It is kept in memory, not in the ledger.
    public var tracesDeliveries: Bool {
        get { core.shell.withLock { $0.deliveries != nil } }
        set { core.shell.withLock { $0.deliveries = newValue ? $0.deliveries ?? [] : nil } }
    }

    /// Every transaction there ever was, also failed, waiting and finished ones (behaviour 217); the first one first.
    ///
    /// - Throws: what keeps the ledger from being read.
    public var transactions: [SandboxTransaction] { get throws { try history().transactions } }

    /// A transaction, and all that belongs to it: what it renews or restores, and what renews or restores that.
    ///
    /// - Parameter transaction: the store's name for any of them.
    /// - Returns: the chain, the first one first; nothing for what this store never called a transaction.
    /// - Throws: what keeps the ledger from being read.
    public func chain(of transaction: String) throws -> [SandboxTransaction] {
        try history().chain(of: transaction)
    }

    fileprivate func history() throws -> LedgerHistory { try core.history() }
}

extension SandboxAccount {
    /// Every transaction of the account there ever was, the first one first.
    ///
    /// - Throws: what keeps the ledger from being read.
    public var transactions: [SandboxTransaction] {
        get throws {
            let name = name
            return try core.history().transactions.filter { $0.account == name }
        }
    }

    /// What the account was charged for, the first charge first; what cost nothing is not among these.
    ///
    /// ``totalCharged`` is their sum.
    ///
    /// - Throws: what keeps the ledger from being read.
    public var charges: [SandboxTransaction] { get throws { try transactions.filter { $0.charge ?? 0 != 0 } } }
}

extension SandboxDevice {
    /// What is unfinished on the device, as its queues are told: oldest first.
    ///
    /// - Throws: what keeps the ledger from being read.
    public var unfinished: [SandboxTransaction] {
        get throws {
            let numbers = core.look { shell, _ in shell.state.unfinished(on: number).map(\.identifier) }
            let history = try core.history()
            return numbers.compactMap { SandboxState.number(of: $0).flatMap { history.transaction($0) } }
        }
    }
}

extension SandboxDriver {
    fileprivate func history() throws -> LedgerHistory {
        try look { shell, _ in
            var history = LedgerHistory()
            try shell.forEachRecord { history.take($0) }
            return history
        }
    }
}
