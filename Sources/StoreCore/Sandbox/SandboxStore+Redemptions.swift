import Foundation

// Offers that accounts redeem in the store itself.
extension SandboxAccount {
    /// Redeems an offer code in the store itself, outside the app.
    ///
    /// It brings an ordinary purchased transaction, which all of the account's devices receive until one has finished
    /// it. The offer begins at once or, while a subscription of the group runs, at its next renewal. It replaces the
    /// introductory offer, or follows it if it is stackable. No authorization is asked for. An account may redeem an
    /// offer once.
    ///
    /// - Parameters:
    ///   - code: the identifier of the offer behind it, which is its reference name in Xcode's file.
    ///   - productIdentifier: the product; the first registered one that has such an offer unless given.
    /// - Returns: the transaction's identifier.
    /// - Throws: a ``StoreFailure`` if it fails: `invalidOfferIdentifier` for a code without an offer,
    ///   `ineligibleForOffer` for an account that is not eligible or has redeemed it before, `invalidOfferPrice` where
    ///   the product costs no more, `paymentInvalid` where it is not on sale; and the ledger's errors.
    @discardableResult
    public func redeem(code: String, of productIdentifier: String? = nil) throws -> String {
        try core.redeem { state, now, rate, events in
            try state.redeem(code: code, of: productIdentifier, number, now: now, rate, &events)
        }
    }

    /// Redeems a win-back offer in the store itself, outside the app, as a lapsed subscriber does.
    ///
    /// It has the effect of ``redeem(code:of:)``; the offer begins at once.
    ///
    /// - Parameters:
    ///   - identifier: the offer.
    ///   - productIdentifier: the subscription that it is for.
    /// - Returns: the transaction's identifier.
    /// - Throws: a ``StoreFailure`` if it fails: `invalidOfferIdentifier` for an offer that the product does not have,
    ///   `ineligibleForOffer` where its switch is off or the account has no subscription of the group that ended,
    ///   `invalidOfferPrice` where the product costs no more, `paymentInvalid` where it is not on sale; and the
    ///   ledger's errors.
    @discardableResult
    public func takeWinBackOffer(_ identifier: String, of productIdentifier: String) throws -> String {
        try core.redeem { state, now, rate, events in
            try state.winBack(identifier, of: productIdentifier, number, now: now, rate, &events)
        }
    }
}

extension SandboxDevice {
    /// The user's action in the sheet for offer codes, whenever the app shows it; nil closes it with a line in the log.
    ///
    /// Nil by default. The ledger does not keep it.
    public var codeEntry: CodeEntry? {
        get { core.shell.withLock { $0.settings.codeEntries[number] } }
        set { core.shell.withLock { $0.settings.codeEntries[number] = newValue } }
    }

    /// Shows the sheet for offer codes, in which the user at once takes the action of ``codeEntry``.
    ///
    /// A code has the effect of ``SandboxAccount/redeem(code:of:)`` for the account that is signed in. Replies before
    /// it returns. Its failures are those of that method, `clientInvalid` if nobody is signed in, `paymentNotAllowed`
    /// if the user may not pay, a network failure if the device cannot reach the store, and `unknown` if ``codeEntry``
    /// is nil.
    public func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(core.enterCode(on: number)) }
    }
}

extension SandboxStore {
    /// The action of the first device's user in the sheet for offer codes; see ``SandboxDevice/codeEntry``.
    public var codeEntry: CodeEntry? {
        get { device.codeEntry }
        set { device.codeEntry = newValue }
    }

    /// Shows the sheet for offer codes on the first device; see ``SandboxDevice/presentCodeRedemptionSheet(reply:)``.
    public func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        device.presentCodeRedemptionSheet(reply: reply)
    }
}

extension SandboxDriver {
    /// Makes a purchase in the store itself, and returns its transaction's identifier.
    fileprivate func redeem(
        _ decide: (SandboxState, Date, RenewalRate, inout [LedgerRecord]) throws -> Void
    ) throws -> String {
        let rate = shell.withLock { $0.settings.rules.renewalRate }
        var transaction: TransactionNumber = 0
        try change { state, events, now in
            transaction = state.nextTransaction
            try decide(state, now, rate, &events)
        }
        return transaction.identifier
    }

    /// Performs the action of a device's user in the sheet, and returns its failure.
    fileprivate func enterCode(on device: DeviceID) -> StoreFailure? {
        let (entry, isReachable) = shell.withLock { shell in
            (shell.settings.codeEntries[device], shell.settings.isReachable(from: device))
        }
        guard isReachable else { return Self.unreachable }
        switch entry {
        case nil:
            let reason =
                "nobody has said what the user enters into the sheet for offer codes: set the device's codeEntry"
            return .storeKit(.unknown, reason)
        case .cancel?: return nil
        case .redeem(let code, let product)?:
            do {
                _ = try redeem { state, now, rate, events in
                    let place = state.devices[device]
                    guard let account = place.account else {
                        throw StoreFailure.storeKit(.clientInvalid, "nobody is signed in on this device")
                    }
                    guard place.mayPay else {
                        throw StoreFailure.storeKit(.paymentNotAllowed, "payments are not allowed on this device")
                    }
                    try state.redeem(code: code, of: product, account, now: now, rate, &events)
                }
                return nil
            } catch {
                return StoreFailure(error)
            }
        }
    }
}
