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
