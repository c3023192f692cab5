extension SandboxStore {
    /// What becomes of the requests for refunds that are made; ``RefundDecision/approve`` until it is set.
    ///
    /// It is not in the ledger: a store that is reopened begins anew. The requests are.
    public var refundDecision: RefundDecision {
        get { core.shell.withLock { $0.settings.refundDecision } }
        set { core.shell.withLock { $0.settings.refundDecision = newValue } }
    }

    /// The transactions whose refund was requested, and that wait for ``refund(_:)`` or ``declineRefund(of:)``, oldest
    /// first.
    ///
    /// The ledger keeps the requests, those that were declined too.
    public var refundRequests: [String] {
        core.look { shell, _ in shell.state.server.undecidedRefunds.map(\.identifier) }
    }

    /// Declines a request for a refund; a second request for the transaction is a duplicate.
    ///
    /// - Throws: ``SandboxError/notUndecided(_:)`` if no request for the transaction waits, and the ledger's errors.
    public func declineRefund(of transaction: String) throws {
        try core.change { state, events, now in
            guard let number = TransactionNumber(transaction), state.server.isRefundUndecided(of: number) else {
                throw SandboxError.notUndecided(transaction)
            }
            let change = ServerChange.refundDeclined(transaction: number)
            events.append(LedgerRecord(date: now, event: .operator(.server(change))))
        }
    }

    /// Requests the refund of a transaction, as its buyer does outside of the app.
    ///
    /// What becomes of it is the ``refundDecision``, as of a request that the app makes.
    ///
    /// - Parameters:
    ///   - transaction: the transaction's identifier.
    ///   - reason: what the buyer says; a server is told, if it is told of the request.
    /// - Returns: whether the request was taken.
    /// - Throws: ``SandboxError/unknownTransaction(_:)``, and the ledger's errors.
    @discardableResult
    public func requestRefund(of transaction: String, reason: RefundReason? = nil) throws -> RefundAnswer {
        try core.requestRefund(of: transaction, reason: reason)
    }
}

extension SandboxDriver {
    /// Requests the refund of a transaction, of the account that is signed in if there is a device.
    func requestRefund(
        of identifier: String,
        reason: RefundReason? = nil,
        on device: DeviceID? = nil
    ) throws -> RefundAnswer {
        if let device, !shell.withLock({ $0.settings.isReachable(from: device) }) { throw Self.unreachable }
        let transaction = try read(identifier) { builder, transaction -> TransactionPayload? in
            guard device.map({ builder.state.devices[$0].account == transaction.account }) ?? true else { return nil }
            return builder.payload(of: transaction)
        }
        guard let transaction, let number = TransactionNumber(identifier) else {
            throw SandboxError.unknownTransaction(identifier)
        }
        if transaction.revocationDate != nil { return .duplicate }
        guard transaction.inAppOwnershipType == .purchased, transaction.price ?? 0 > 0 else { return .ineligible }
        var answer = RefundAnswer.taken
        do {
            let decision = shell.withLock { $0.settings.refundDecision }
            try change(selling: number) { state, sale, events, now in
                let record = try state.requestRefund(of: number, sale, reason: reason, decision, now: now)
                answer = record == nil ? .duplicate : .taken
                if let record { events.append(record) }
            }
        } catch SandboxError.alreadyRefunded {
            return .duplicate
        }
        return answer
    }
}
