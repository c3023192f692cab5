import Foundation

extension SandboxStore {
    /// Refunds a purchase or a part of its price, always and at once.
    ///
    /// If the transaction is the purchase of a non-consumable, or the running period of a subscription, the entitlement
    /// ends now, and receipts state the refund from then on. In these cases the account's devices are notified by
    /// ``SKPaymentTransactionObserver/paymentQueue(_:didRevokeEntitlementsForProductIdentifiers:)``, running apps at
    /// once, the others at their next launch. An earlier period of a subscription, a consumable and a non-renewing
    /// subscription only get their ``SandboxTransaction/cancellationDate``. A subscription in billing retry gives no
    /// access: refunding its last period ends it without a notification, and nothing more is collected. An unfinished
    /// transaction still has to be finished. A restore does not return the purchase, and buying it again costs again.
    ///
    /// A purchase and its free repetitions, made while the product was owned already, are canceled together; the
    /// transaction may be any of them.
    ///
    /// A part of the price ends access as the whole price does. Signed payloads then have the type `REFUND_PRORATED`
    /// and the percentage. The amount is rounded to thousandths of the currency's unit.
    ///
    /// The refund of a bundle's transaction also refunds those of its members.
    ///
    /// - Parameters:
    ///   - transaction: the identifier of a purchase or a renewal.
    ///   - percentage: the share of the price: above 0, at most 100, with at most three digits behind the point.
    ///   - reason: the reason in signed payloads and receipts.
    /// - Throws: ``SandboxError`` for an invalid percentage, for a transaction that failed or waits, that came from a
    ///   restore, the family or a bundle, that only changed how a subscription renews, or that was refunded before, and
    ///   for an unknown identifier; and the ledger's errors.
    public func refund(
        _ transaction: String,
        percentage: Decimal = 100,
        reason: TransactionPayload.RevocationReason = .other
    ) throws {
        let share = try RefundShare(percentage: percentage, reason: reason == .other ? nil : reason.rawValue)
        guard let number = TransactionNumber(transaction) else { throw SandboxError(.notSold(transaction)) }
        try driver.change(selling: number) { state, sale, events, now in
            events.append(try state.refund(number, of: sale, share, now: now))
        }
    }
}

extension SandboxStore {
    /// Reverses the refund of a purchase, as the store does when a dispute is decided for the developer.
    ///
    /// Everything that the refund revoked is valid and paid for again. A non-consumable belongs to the account again.
    /// If the purchase was a subscription's running period, the subscription continues, unless the period is over or
    /// the subscription has begun anew; then only the period is valid again. Family members receive their shares anew.
    ///
    /// - Parameter transaction: the identifier of a refunded purchase or renewal.
    /// - Throws: ``SandboxError`` for a transaction that is not refunded, also for an unknown identifier; and the
    ///   ledger's errors.
    public func reverseRefund(of transaction: String) throws {
        try driver.change { state, events, now in
            events.append(try state.reverseRefund(of: transaction, now: now))
        }
    }
}

extension SandboxAccount {
    /// The account's refunded purchases, oldest first, without free ones.
    ///
    /// ``totalRefunded`` is the sum of their refunds. Refunded purchases stay among the ``charges``.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var refunds: [SandboxTransaction] {
        get throws { try transactions.filter { $0.refundedAmount != nil && $0.chargedAmount ?? 0 != 0 } }
    }

    /// The total refunded to the account since the store's ledger began; it does not reduce ``totalCharged``.
    ///
    /// Amounts in different currencies are added as they are, without a conversion. Refunds that were reversed are left
    /// out.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var totalRefunded: Decimal { get throws { try transactions.reduce(0) { $0 + ($1.refundedAmount ?? 0) } } }
}

extension SandboxDriver {
    /// Changes the state by a decision about a transaction.
    ///
    /// `decide` receives the sale of the transaction, nil if it was not sold. The state may no longer hold the
    /// transaction.
    func change(
        selling number: TransactionNumber,
        _ decide: (SandboxState, SoldTransaction?, inout [LedgerRecord], Date) throws -> Void
    ) throws {
        try use { driverState, now in
            try driverState.refresh()
            try driverState.change(now: now) { driverState in
                let sale = try driverState.sale(number, of: bundleIdentifier)
                try driverState.step { try decide($0, sale, &$1, now) }
            }
        }
    }
}

extension SandboxStore {
    /// The decision about refund requests; ``RefundDecision/approve`` by default.
    ///
    /// The ledger stores the requests, but not this setting: a reopened store begins with the default.
    public var refundDecision: RefundDecision {
        get { driver.state.withLock { $0.settings.refundDecision } }
        set { driver.state.withLock { $0.settings.refundDecision = newValue } }
    }

    /// The transactions with a pending refund request, oldest first.
    ///
    /// Decide a request by ``refund(_:percentage:reason:)`` or ``declineRefund(of:)``.
    ///
    /// The ledger stores the requests, declined ones included.
    public var refundRequests: [String] {
        driver.look { driverState, _ in driverState.state.server.undecidedRefunds.map(\.identifier) }
    }

    /// Declines a request for a refund; a second request for the transaction is a duplicate.
    ///
    /// - Parameter transaction: one of the ``refundRequests``.
    /// - Throws: ``SandboxError`` if the transaction has no pending request, and the ledger's errors.
    public func declineRefund(of transaction: String) throws {
        try driver.change { state, events, now in
            guard let number = TransactionNumber(transaction), state.server.isRefundUndecided(of: number) else {
                throw SandboxError(.notUndecided(transaction))
            }
            let change = ServerChange.refundDeclined(transaction: number)
            events.append(LedgerRecord(date: now, event: .operator(.server(change))))
        }
    }

    /// Requests the refund of a transaction, as its buyer does outside of the app.
    ///
    /// The ``refundDecision`` applies, as it does to the app's own requests.
    ///
    /// - Parameters:
    ///   - transaction: the transaction's identifier.
    ///   - reason: the buyer's reason, which a server that is notified of the request receives.
    /// - Returns: whether the request was accepted, whatever the decision is.
    /// - Throws: ``SandboxError`` for an unknown transaction, and the ledger's errors.
    @discardableResult
    public func requestRefund(of transaction: String, reason: RefundReason? = nil) throws -> RefundAnswer {
        try driver.requestRefund(of: transaction, reason: reason)
    }
}

extension SandboxDriver {
    /// Requests the refund of a transaction, which must belong to the account signed in on the device, if one is given.
    func requestRefund(
        of identifier: String,
        reason: RefundReason? = nil,
        on device: DeviceID? = nil
    ) throws -> RefundAnswer {
        if let device, !state.withLock({ $0.settings.isReachable(from: device) }) { throw Self.unreachable }
        let transaction = try read(identifier) { builder, transaction -> TransactionPayload? in
            guard device.map({ builder.state.devices[$0].account == transaction.account }) ?? true else { return nil }
            return builder.payload(of: transaction)
        }
        guard let transaction, let number = TransactionNumber(identifier) else {
            throw SandboxError(.unknownTransaction(identifier))
        }
        if transaction.revocationDate != nil { return .duplicate }
        guard transaction.inAppOwnershipType == .purchased, transaction.price ?? 0 > 0 else { return .ineligible }
        var answer = RefundAnswer.taken
        do {
            let decision = state.withLock { $0.settings.refundDecision }
            try change(selling: number) { state, sale, events, now in
                guard sale != nil else { return answer = .ineligible }
                let record = try state.requestRefund(of: number, sale, reason: reason, decision, now: now)
                answer = record == nil ? .duplicate : .taken
                if let record { events.append(record) }
            }
        } catch let error as SandboxError {
            guard case .alreadyRefunded = error.reason else { throw error }
            return .duplicate
        }
        return answer
    }
}
