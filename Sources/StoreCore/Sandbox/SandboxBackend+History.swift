import Foundation

// What the account that is signed in on the device has bought.
extension SandboxBackend {
    /// Looks up transactions, also on a device that cannot reach the store.
    ///
    /// Replies before it returns; fails where the ledger cannot be read.
    public func transactions(
        _ query: HistoryQuery,
        reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void
    ) {
        answer(reply) { try $0.history(query, on: $1) }
    }

    /// Looks up one transaction, in the same way.
    package func transaction(_ identifier: String) throws -> SignedValue<TransactionPayload>? {
        do {
            return try CallScope.outermost { try device.core.transaction(identifier, on: device.number) }
        } catch {
            throw StoreFailure(ofStore: error)
        }
    }

    /// Looks up subscriptions.
    ///
    /// Replies before it returns.
    public func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    ) {
        answer(reply) { try $0.subscriptions(query, on: $1) }
    }

    /// Looks up the purchase of the app itself.
    ///
    /// Replies before it returns.
    public func appTransaction(
        reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void
    ) {
        answer(reply) { try $0.signedAppTransaction(on: $1) }
    }

    /// Succeeds, unless nobody is signed in (`paymentCancelled`) or the device cannot reach the store (a network failure).
    ///
    /// Replies before it returns.
    public func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(device.core.synchronize(on: device.number)) }
    }

    /// Returns whether the account may use an introductory offer of a group; false where nobody is signed in.
    ///
    /// Replies before it returns.
    public func isEligibleForIntroductoryOffer(
        inGroup group: String,
        reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    ) {
        answer(reply) { $0.isEligibleForIntroductoryOffer(inGroup: group, on: $1) }
    }

    /// Requests a refund, with which the store does what ``SandboxStore/refundDecision`` says.
    ///
    /// Replies before it returns.
    public func requestRefund(
        ofTransaction identifier: String,
        reply: @escaping @Sendable (Result<RefundAnswer, StoreFailure>) -> Void
    ) {
        answer(reply) { try $0.requestRefund(of: identifier, on: $1) }
    }

    /// The device's identifier, see ``SandboxDevice/identifierForVendor``.
    public var deviceVerificationID: UUID? { device.identifierForVendor }

    /// Begins to notify a listener, held weakly, of every change of the store.
    public func follow(_ listener: any HistoryListener) { device.core.follow(listener) }

    /// Signs JWS with another signer from now on, unless the store was given one, or a key, by its operator.
    package func preferForPayloads(_ signer: () -> any PayloadSigner) { device.core.preferForPayloads(signer) }

    private func answer<Answer>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ body: (SandboxDriver, DeviceID) throws -> Answer
    ) {
        CallScope.outermost {
            reply(Result { try body(device.core, device.number) }.mapError { StoreFailure(ofStore: $0) })
        }
    }
}
