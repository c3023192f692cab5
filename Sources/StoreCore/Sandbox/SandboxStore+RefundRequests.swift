extension SandboxStore {
    /// What becomes of the requests for refunds that apps make; ``RefundDecision/approve`` until it is set.
    ///
    /// It is not in the ledger: a store that is reopened begins anew.
    public var refundDecision: RefundDecision {
        get { core.shell.withLock { $0.settings.refundDecision } }
        set { core.shell.withLock { $0.settings.refundDecision = newValue } }
    }

    /// The transactions whose refund an app has requested, and that wait for ``refund(_:)`` or
    /// ``declineRefund(of:)``, oldest first.
    ///
    /// It is not in the ledger: a store that is reopened begins without requests.
    public var refundRequests: [String] {
        core.shell.withLock { shell in
            shell.settings.refundRequests
                .filter { $0.decision == .ask && shell.state.revocations.cancellation(of: $0.transaction) == nil }
                .map(\.transaction)
        }
    }

    /// Declines a request for a refund; a second request for the transaction is a duplicate.
    ///
    /// - Throws: ``SandboxError/notUndecided(_:)`` if no request for the transaction waits.
    public func declineRefund(of transaction: String) throws {
        try core.shell.withLock { shell in
            guard let index = shell.settings.refundRequests.firstIndex(where: { $0 == (transaction, .ask) }) else {
                throw SandboxError.notUndecided(transaction)
            }
            shell.settings.refundRequests[index].decision = .decline
        }
    }
}

extension SandboxDriver {
    /// Requests the refund of a transaction of the account that is signed in.
    func requestRefund(of identifier: String, on device: DeviceID) throws -> RefundAnswer {
        let transaction = try read { builder -> TransactionPayload? in
            guard let transaction = builder.index[identifier],
                transaction.account == builder.state.devices[device].account
            else { return nil }
            return builder.payload(of: transaction)
        }
        guard let transaction else { throw SandboxError.unknownTransaction(identifier) }
        if transaction.revocationDate != nil { return .duplicate }
        guard transaction.inAppOwnershipType == .purchased, transaction.price ?? 0 > 0 else { return .ineligible }
        let decision = shell.withLock { shell -> RefundDecision? in
            let decision = shell.settings.refundDecision
            guard !shell.settings.refundRequests.contains(where: { $0.transaction == identifier }) else { return nil }
            if decision != .approve { shell.settings.refundRequests.append((identifier, decision)) }
            return decision
        }
        guard let decision else { return .duplicate }
        if decision == .approve {
            do {
                try changeByHistory { state, history, events, now in
                    events.append(try state.refund(identifier, in: history, now: now))
                }
            } catch SandboxError.alreadyRefunded {
                return .duplicate
            }
        }
        return .taken
    }
}
