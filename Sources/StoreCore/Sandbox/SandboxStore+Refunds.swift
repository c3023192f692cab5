import Foundation

extension SandboxStore {
    /// Refunds a purchase, as the store does when a user asks for it: always, and at once.
    ///
    /// A permanent purchase, and a subscription whose running period it is, end now: receipts say so from then on. Only
    /// then are the account's devices told by
    /// ``SKPaymentTransactionObserver/paymentQueue(_:didRevokeEntitlementsForProductIdentifiers:)``, running apps at
    /// once, the others at their next launch. An earlier period of a subscription, a consumable and a non-renewing
    /// subscription only get their ``SandboxTransaction/cancellationDate``. A subscription in billing retry gives no
    /// access: refunding its last period ends it without a notification, and nothing more is collected. An unfinished
    /// transaction stays to be finished. A restore does not bring the purchase back, and buying it again costs again.
    ///
    /// Free repetitions of the purchase, made because it was owned already, are canceled with it, and either may be
    /// named.
    ///
    /// - Parameter transaction: the identifier of a purchase or a renewal.
    /// - Throws: ``SandboxError/notSold(_:)`` for a transaction that failed or waits, that came from a restore or the
    ///   family, or that only changed how a subscription renews, and for an unknown identifier;
    ///   ``SandboxError/alreadyRefunded(_:)``; and the ledger's errors.
    public func refund(_ transaction: String) throws {
        guard let number = TransactionNumber(transaction) else { throw SandboxError.notSold(transaction) }
        try core.change(selling: number) { state, sale, events, now in
            events.append(try state.refund(number, of: sale, now: now))
        }
    }
}

extension SandboxStore {
    /// Takes back the refund of a purchase, as the store does when a buyer disputes it and the developer is right.
    ///
    /// Everything that the refund had revoked counts again, and is paid for. A permanent purchase is the account's again. A
    /// subscription whose running period it was continues, unless the period is over or it has begun anew meanwhile; then
    /// only its period counts again. Members of the family receive their shares anew.
    ///
    /// - Parameter transaction: the identifier of a refunded purchase or renewal.
    /// - Throws: ``SandboxError/notRefunded(_:)``, also for an unknown identifier; and the ledger's errors.
    public func reverseRefund(of transaction: String) throws {
        try core.change { state, events, now in
            events.append(try state.reverseRefund(of: transaction, now: now))
        }
    }
}

extension SandboxAccount {
    /// The account's refunded purchases, oldest first, without those that had cost nothing.
    ///
    /// ``totalRefunded`` is the sum of their refunds. They stay among the ``charges``.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var refunds: [SandboxTransaction] { get throws { try transactions.filter { $0.refund ?? 0 != 0 } } }

    /// The total refunded to the account since the store's ledger began; it does not reduce ``totalCharged``.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var totalRefunded: Decimal { get throws { try transactions.reduce(0) { $0 + ($1.refund ?? 0) } } }
}

extension SandboxDriver {
    /// Makes a change for the operator about a transaction, which is nil unless it was sold.
    ///
    /// The transaction may be one that the state has forgotten.
    func change(
        selling number: TransactionNumber,
        _ decide: (SandboxState, SoldTransaction?, inout [LedgerRecord], Date) throws -> Void
    ) throws {
        try use { shell, now in
            try shell.refresh()
            try shell.change(now: now) { shell in
                let sale = try shell.sale(number, of: bundleIdentifier)
                try shell.step { try decide($0, sale, &$1, now) }
            }
        }
    }
}

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
