import Foundation

/// The backend that sells from a sandbox store on one of its devices, with every optional service.
///
/// It is passed to a queue or to a ``StoreContext``, whose app then runs on that device.
///
/// A ``SandboxDevice`` sells on itself, a ``SandboxStore`` on its first device. No other type conforms to the protocol.
public protocol SandboxBackend: StoreBackend, AvailabilityService, StorefrontService, ReceiptService, ContentService,
    PromotionService, OfferCodeService, PriceConsentService, HistoryService
{
    /// The device on which the backend sells.
    var device: SandboxDevice { get }
}

extension SandboxStore: SandboxBackend, ImmediateStore {}

extension SandboxDevice: SandboxBackend, ImmediateStore {
    /// The device itself.
    public var device: SandboxDevice { self }
}

extension SandboxBackend {
    /// The store's clock.
    public var clock: any StoreClock { device.driver.clock }

    /// The lane on which queues call the backend.
    ///
    /// The calling thread, since the store does not block, unless the ledger names another lane:
    /// ``DurableLedger/lane``. A ledger on disk usually does.
    public var lane: BackendLane { device.driver.lane }

    /// Accepts the device's commands.
    ///
    /// Calls `reply` before returning, and the authorizer after that.
    public func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        device.driver.pushConnections.submit(commands, to: device, reply: reply)
    }

    /// Sends a receiver the device's unfinished transactions and all later changes, or only the changes after a cursor.
    public func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        let (link, number) = (device.driver.link, device.number)
        // A connection must not retain the store, which retains the connection.
        device.driver.pushConnections.connect(receiver, after: cursor) { link.driver.map { SandboxDevice($0, number) } }
    }

    /// Stops sending to a receiver.
    public func disconnect(_ receiver: any StoreUpdateReceiver) { device.driver.pushConnections.disconnect(receiver) }

    /// Acknowledges that the app has been notified of all updates up to a cursor, such as revocations.
    public func acknowledge(through cursor: UpdateCursor) {
        device.driver.acknowledge(through: cursor, on: device.number)
    }

    /// Looks up products, in the device's language and the storefront's currency.
    ///
    /// Calls `reply` before returning, unless the store has the quirk ``StoreQuirk/productsHang(for:)``. Fails
    /// if the device cannot reach the store, with a network failure, or if the ledger cannot be read.
    public func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        device.driver.products(identifiers, for: device.number, reply: reply)
    }

    /// Looks up products like ``products(_:reply:)``, at once whatever the store's quirks.
    package func products(_ identifiers: Set<String>) -> Result<ProductsAnswer, StoreFailure> {
        device.driver.products(identifiers, for: device.number)
    }
}

// MARK: - Services

extension SandboxBackend {
    /// All services, each of which the backend itself implements.
    public var services: StoreServices {
        // Assigned one by one: looking up each conformance at run time takes longer.
        var services = StoreServices()
        services.availability = self
        services.storefront = self
        services.receipts = self
        services.content = self
        services.promotions = self
        services.codes = self
        services.consent = self
        services.history = self
        services.external = SandboxExternalPurchases(device: device)
        services.quirks = SandboxQuirks(driver: device.driver)
        return services
    }

    /// Whether the device's user may pay; true unless set by ``setPaymentsAllowed(_:)``.
    public var canMakePayments: Bool { device.driver.canMakePayments(on: device.number) }

    /// The code of the app's age rating, as set in ``SandboxStore/ageRatingCode``.
    public var ageRatingCode: Int? { device.driver.state.withLock { $0.settings.ageRatingCode } }

    /// Whether the store, or this device's connection to it, is set to be unreachable.
    public var isOutOfReach: Bool {
        let number = device.number
        return device.driver.state.withLock { !$0.settings.isReachable(from: number) }
    }

    /// Returns whether an identifier is on sale now, or nil while the ledger cannot be read.
    public func sells(_ productIdentifier: String) -> Bool? { device.driver.sells(productIdentifier) }

    /// The country that the store sells for.
    public var storefront: StoreStorefront? { device.driver.storefront }

    /// Applies the app's decision whether a pending purchase continues in a new storefront.
    ///
    /// Has no effect on a purchase that is no longer pending.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        device.driver.decideAfterStorefrontChange(identifier, shouldContinue: shouldContinue, on: device.number)
    }

    /// Returns the signed receipt of an unfinished, purchased or restored transaction of the device; otherwise nil.
    ///
    /// The receipt contains everything that the store knows about the payment. For a restored transaction or a renewal,
    /// it contains the transaction's own identifier and date, and those of the original. Each call creates a new
    /// receipt.
    public func receipt(forTransaction identifier: String) -> Data? {
        device.driver.receipt(forTransaction: identifier, on: device.number)
    }

    /// The device's signed app receipt; nil until the first purchase, restore or refresh on the device.
    ///
    /// A transaction that nobody ordered on the device, such as a renewal or a purchase in the store itself, also
    /// begins the receipt when it reaches the device. The receipt can be read even while the store cannot be reached.
    ///
    /// The receipt lists the purchases of the signed-in account from all devices: every non-consumable, every free and
    /// non-renewing subscription, and every period of auto-renewable ones. It also lists the unfinished consumables
    /// that this device's queues receive. With nobody signed in, it lists nothing. Read it with
    /// ``AppReceipt/init(verifying:signer:)``.
    ///
    /// The receipt is signed when it is read. The store caches it for each device: a second read of the same content,
    /// within the same second of the store's clock, returns the same bytes. Purchases that an earlier receipt listed
    /// are not encoded again, nor signed again by an ``HMACReceiptSigner``.
    public var appReceipt: Data? { device.driver.appReceipt(on: device.number) }

    /// Creates the device's app receipt if there is none; an existing one is always up to date.
    ///
    /// Receipts state the properties until a refresh without them: with ``ReceiptProperties/isExpired`` that they
    /// expired at this moment, with ``ReceiptProperties/isRevoked`` that they were revoked at this moment, and with
    /// ``ReceiptProperties/isVolumePurchase`` that the app belongs to a volume purchase. Calls `reply` before
    /// returning: with a network failure if the device cannot reach the store, `clientInvalid` if nobody is signed in,
    /// and `unknown` if the ledger fails.
    public func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(device.driver.refreshReceipt(properties, on: device.number)) }
    }

    /// Sends a range of the content hosted for an unfinished, purchased or restored transaction of the device.
    ///
    /// Calls `reply` before returning if the device's pace has no limit, and later, by the store's clock, otherwise.
    public func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        device.driver.fetchContent(request, for: device.number, reply: reply)
    }

    /// The app's changes to how the store promotes products on the device.
    public var promotionOverrides: PromotionOverrides { device.datedPromotionOverrides.overrides }

    /// Changes how the store promotes products on the device.
    ///
    /// Calls `reply` before returning, with a failure if the ledger fails or the device cannot reach the store.
    public func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(device.driver.changePromotion(change, on: device.number)) }
    }

    /// Shows the sheet for offer codes, in which the user takes the action of ``codeEntry`` at once.
    ///
    /// A code has the effect of ``SandboxAccount/redeem(code:of:)`` for the account that is signed in. Calls `reply`
    /// before returning: with the transaction's identifier, with nil if the user cancels, or with a failure. The
    /// failures are those of that method, `clientInvalid` if nobody is signed in, `paymentNotAllowed` if the user may
    /// not pay, a network failure if the device cannot reach the store, and `unknown` if ``codeEntry`` is nil.
    public func presentCodeRedemptionSheet(reply: @escaping @Sendable (Result<String?, StoreFailure>) -> Void) {
        CallScope.outermost { reply(device.driver.enterCode(on: device.number)) }
    }

    /// Whether a price consent request to the signed-in account waits for an answer.
    ///
    /// False while the device cannot reach the store.
    public var isPriceConsentPending: Bool { device.driver.isPriceConsentPending(on: device.number) }

    /// Shows the price consent request to the device's user, who gives the ``priceConsentAnswer`` at once.
    ///
    /// Does nothing while the device cannot reach the store. A user who does not answer, or whose answer the ledger
    /// cannot record, may be asked again.
    public func showPriceConsent() { device.driver.showPriceConsent(on: device.number) }
}

extension SandboxBackend {
    func receipt(unless known: ReceiptVersion?) -> ReceiptChange {
        device.driver.receipt(on: device.number, unless: known)
    }
}

extension SandboxStore: ReceiptSource, ImmediateHistory {}
extension SandboxDevice: ReceiptSource, ImmediateHistory {}

// MARK: - The direct transport

extension SandboxBackend where Self: ImmediateStore {
    package var isSelfContained: Bool { device.driver.isSelfContained }

    package func openConnection(
        _ listener: any UpdateListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        device.driver.open(listener, from: device.number, journal: journal, after: cursor)
    }

    package func closeConnection(_ connection: StoreConnectionID) { device.driver.close(connection) }

    package func exchange(
        _ commands: [StoreCommand],
        on connection: StoreConnectionID?,
        into exchange: inout Exchange
    ) {
        device.driver.exchange(commands, from: device.number, on: connection, into: &exchange)
    }

    package func exchange(_ command: StoreCommand, on connection: StoreConnectionID?, into exchange: inout Exchange) {
        device.driver.exchange(command, from: device.number, on: connection, into: &exchange)
    }
}

// The purchase history of the account that is signed in on the device.
extension SandboxBackend {
    /// Looks up transactions, even on a device that cannot reach the store.
    ///
    /// Calls `reply` before returning; fails if the ledger cannot be read.
    public func transactions(
        _ query: HistoryQuery,
        reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void
    ) {
        answer(reply) { try $0.history(query, on: $1) }
    }

    /// Looks up one transaction, even on a device that cannot reach the store.
    package func transaction(_ identifier: String) throws -> SignedValue<TransactionPayload>? {
        do {
            return try CallScope.outermost { try device.driver.transaction(identifier, on: device.number) }
        } catch {
            throw StoreFailure(ofStore: error)
        }
    }

    /// Looks up subscriptions, even on a device that cannot reach the store.
    ///
    /// Calls `reply` before returning; fails if the ledger cannot be read.
    public func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    ) {
        answer(reply) { try $0.subscriptions(query, on: $1) }
    }

    /// Looks up the purchase of the app itself, even on a device that cannot reach the store.
    ///
    /// Calls `reply` before returning; fails if the ledger cannot be read.
    public func appTransaction(
        reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void
    ) {
        answer(reply) { try $0.signedAppTransaction(on: $1) }
    }

    /// Reports success, or a failure: `paymentCancelled` if nobody is signed in, a network failure if out of reach.
    ///
    /// Calls `reply` before returning.
    public func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(device.driver.synchronize(on: device.number)) }
    }

    /// Returns whether the signed-in account may use an introductory offer of a group; false if nobody is signed in.
    ///
    /// Calls `reply` before returning.
    public func isEligibleForIntroductoryOffer(
        inGroup group: String,
        reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    ) {
        answer(reply) { $0.isEligibleForIntroductoryOffer(inGroup: group, on: $1) }
    }

    /// Requests a refund, which ``SandboxStore/refundDecision`` decides.
    ///
    /// Calls `reply` before returning, with a failure if the device cannot reach the store, if the ledger fails, or if
    /// the signed-in account has no such transaction.
    public func requestRefund(
        ofTransaction identifier: String,
        reply: @escaping @Sendable (Result<RefundAnswer, StoreFailure>) -> Void
    ) {
        answer(reply) { try $0.requestRefund(of: identifier, on: $1) }
    }

    /// The device's identifier, see ``SandboxDevice/identifierForVendor``.
    public var deviceVerificationID: UUID? { device.identifierForVendor }

    /// Notifies a listener, held weakly, of every change of the store from now on.
    public func follow(_ listener: any HistoryListener) { device.driver.follow(listener) }

    /// Signs JWS with another signer from now on, unless the operator gave the store a signer or a key.
    package func preferForPayloads(_ signer: () -> any PayloadSigner) { device.driver.preferForPayloads(signer) }

    private func answer<Answer>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ body: (SandboxDriver, DeviceID) throws -> Answer
    ) {
        CallScope.outermost {
            reply(Result { try body(device.driver, device.number) }.mapError { StoreFailure(ofStore: $0) })
        }
    }
}

// The device's simulated user: permission to pay, and answers to what the app or the store shows.
extension SandboxBackend {
    /// Allows or forbids payments by the device's user.
    ///
    /// While forbidden, purchases are refused with `paymentNotAllowed`. The ledger stores the setting.
    ///
    /// - Throws: the ledger's errors.
    public func setPaymentsAllowed(_ isAllowed: Bool) throws {
        try device.driver.change { _, events, now in
            events.append(LedgerRecord(date: now, event: .paymentsAllowed(device: device.number, isAllowed)))
        }
    }

    /// The answer of the device's user to a price consent request when it is shown; nil for none.
    ///
    /// Nil by default. The ledger does not store it.
    public var priceConsentAnswer: PriceConsentAnswer? {
        get { device.driver.state.withLock { $0.settings.priceAnswers[device.number] } }
        set { device.driver.state.withLock { $0.settings.priceAnswers[device.number] = newValue } }
    }

    /// The user's action in the sheet for offer codes, each time the app shows the sheet; nil makes the sheet fail.
    ///
    /// Nil by default. The ledger does not store it.
    public var codeEntry: CodeEntry? {
        get { device.driver.state.withLock { $0.settings.codeEntries[device.number] } }
        set { device.driver.state.withLock { $0.settings.codeEntries[device.number] = newValue } }
    }

    /// Makes a download on the device fail, once.
    ///
    /// A restarted download resumes where it failed.
    ///
    /// - Parameters:
    ///   - contentIdentifier: the file's identifier; that of the product unless it hosts several files.
    ///   - point: the point of failure; a negative number of bytes or a chunk below the first stops the process.
    ///   - failure: the download's error in the app, an `SKError` or `URLError` with this code.
    public func failDownload(of contentIdentifier: String, at point: DownloadFailurePoint, with failure: StoreFailure) {
        device.driver.content.withLock { $0.fail(contentIdentifier, device.number, point, failure) }
    }
}

/// The quirks of a sandbox store, as its operator sets them.
private struct SandboxQuirks: QuirkService {
    let driver: SandboxDriver

    var quirks: Set<StoreQuirk> { driver.state.withLock { $0.settings.rules.quirks } }
}
