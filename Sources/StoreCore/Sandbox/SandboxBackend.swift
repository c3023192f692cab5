import Foundation

/// The backend that sells from a sandbox store on one of its devices, with every optional service.
///
/// A ``SandboxDevice`` sells on itself, a ``SandboxStore`` on its first device. No other type conforms to it.
public protocol SandboxBackend: StoreBackend, AvailabilityService, StorefrontService, ReceiptService, ContentService,
    PromotionService, OfferCodeService, PriceConsentService, HistoryService
{
    /// The device that it sells on.
    var device: SandboxDevice { get }
}

extension SandboxStore: SandboxBackend, ImmediateStore {}

extension SandboxDevice: SandboxBackend, ImmediateStore {
    /// The device itself.
    public var device: SandboxDevice { self }
}

extension SandboxBackend {
    /// The store's clock.
    public var clock: any StoreClock { device.core.clock }

    /// The lane of its calls: the thread that the app called on, as the store is in the process and never blocks,
    /// unless its ledger does, which then names one (``DurableLedger/lane``).
    public var lane: BackendLane { device.core.lane }

    /// Accepts the device's commands.
    ///
    /// Replies before it returns; the authorizer is asked after the reply.
    public func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        device.core.submit(commands, from: device.number, reply: reply)
    }

    /// Sends the device's unfinished transactions, then the changes; or only the changes after a cursor.
    public func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        device.core.connect(receiver, from: device.number, after: cursor)
    }

    /// Stops sending to a receiver.
    public func disconnect(_ receiver: any StoreUpdateReceiver) { device.core.disconnect(receiver) }

    /// Acknowledges the purchases that the device's user began on the store's page and of which the app was told.
    public func acknowledge(through cursor: UpdateCursor) {
        device.core.acknowledge(through: cursor, on: device.number)
    }

    /// Looks up products, in the device's language and the storefront's currency.
    ///
    /// Replies before it returns.
    public func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        CallScope.outermost { reply(device.core.products(identifiers, for: device.number)) }
    }
}

// MARK: - Services

extension SandboxBackend {
    /// Every service, each offered by the backend itself.
    public var services: StoreServices {
        // Spelled out: looking each conformance up takes longer.
        var services = StoreServices()
        services.availability = self
        services.storefront = self
        services.receipts = self
        services.content = self
        services.promotions = self
        services.codes = self
        services.consent = self
        services.history = self
        return services
    }

    /// Whether the device's user may pay.
    public var canMakePayments: Bool { device.core.canMakePayments(on: device.number) }

    /// Whether the store, or this device's way to it, is set to be out of reach.
    public var isOutOfReach: Bool {
        let number = device.number
        return device.core.shell.withLock { !$0.settings.isReachable(from: number) }
    }

    /// Returns whether an identifier is on sale now, or nil while the ledger cannot be read.
    public func sells(_ productIdentifier: String) -> Bool? { device.core.sells(productIdentifier) }

    /// The country that the store sells for.
    public var storefront: StoreStorefront? { device.core.storefront }

    /// Tells the store whether a purchase that is under way continues in a new storefront.
    ///
    /// Has no effect on a purchase that is decided by then.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        device.core.decideAfterStorefrontChange(identifier, shouldContinue: shouldContinue, on: device.number)
    }

    /// Returns the signed receipt of an unfinished transaction that the device sees as purchased or restored, or nil
    /// for every other.
    ///
    /// It contains all that the store knows of the payment: a restored transaction and a renewal have their own
    /// identifier and date, next to the original's. Created anew each time.
    public func receipt(forTransaction identifier: String) -> Data? {
        device.core.receipt(forTransaction: identifier, on: device.number)
    }

    /// The device's app receipt, signed; nil until the first purchase, restore or refresh on it.
    ///
    /// It lists the purchases of the account that is signed in: every non-consumable, every free and non-renewing
    /// subscription and every period of its auto-renewable ones, whichever device they were bought on; and the
    /// unfinished consumables that were bought on this device. With nobody signed in it lists nothing. Read it with
    /// ``AppReceipt/init(verifying:signer:)``.
    ///
    /// Signed when it is read. Read again with the same content, it is the same receipt, byte by byte, until the store's
    /// clock has reached another second, and is not signed again; the store keeps it for each device. Purchases that it
    /// listed before are not encoded again, nor signed again by an ``HMACReceiptSigner``.
    public var appReceipt: Data? { device.core.appReceipt(on: device.number) }

    /// Ensures that an app receipt exists; it is always up to date.
    ///
    /// With ``ReceiptProperties/isExpired`` receipts say from then on that they expired at this moment, with
    /// ``ReceiptProperties/isRevoked`` that they were revoked, and with ``ReceiptProperties/isVolumePurchase`` that the
    /// app belongs to a volume purchase, until they are refreshed without. Replies before it returns: with a network
    /// failure if the device cannot reach the store, `clientInvalid` if nobody is signed in, and `unknown` if the
    /// ledger fails.
    public func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(device.core.refreshReceipt(properties, on: device.number)) }
    }

    /// Sends a range of the content hosted for a purchased or restored transaction of the device, at its pace.
    public func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        device.core.fetchContent(request, for: device.number, reply: reply)
    }

    /// The app's changes to how the store promotes products on the device.
    public var promotionOverrides: PromotionOverrides { device.core.promotionOverrides(on: device.number) }

    /// Changes how the store promotes products on the device.
    ///
    /// Replies before it returns, with a failure if the ledger fails or the device cannot reach the store.
    public func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(device.core.changePromotion(change, on: device.number)) }
    }

    /// Shows the sheet for offer codes, in which the user at once takes the action of ``codeEntry``.
    ///
    /// A code has the effect of ``SandboxAccount/redeem(code:of:)`` for the account that is signed in. Replies before
    /// it returns. Its failures are those of that method, `clientInvalid` if nobody is signed in, `paymentNotAllowed`
    /// if the user may not pay, a network failure if the device cannot reach the store, and `unknown` if ``codeEntry``
    /// is nil.
    public func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(device.core.enterCode(on: device.number)) }
    }

    /// Whether a price consent request to the signed-in account waits for an answer.
    public var isPriceConsentPending: Bool { device.core.isPriceConsentPending(on: device.number) }

    /// Shows the price consent request to the device's user, who gives the ``priceConsentAnswer`` at once.
    ///
    /// A user who does not answer, or whose answer the ledger does not take, may be asked again.
    public func showPriceConsent() { device.core.showPriceConsent(on: device.number) }
}

extension SandboxBackend {
    func receipt(unless known: ReceiptVersion?) -> ReceiptNews { device.core.receipt(on: device.number, unless: known) }
}

extension SandboxStore: ReceiptSource, ImmediateHistory {}
extension SandboxDevice: ReceiptSource, ImmediateHistory {}

// MARK: - The direct transport

extension SandboxBackend where Self: ImmediateStore {
    package var isSelfContained: Bool { device.core.isSelfContained }

    package func openConnection(
        _ listener: any NewsListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        device.core.open(listener, from: device.number, journal: journal, after: cursor)
    }

    package func closeConnection(_ connection: StoreConnectionID) { device.core.close(connection) }

    package func exchange(
        _ commands: [StoreCommand],
        on connection: StoreConnectionID?,
        into exchange: inout Exchange
    ) {
        device.core.exchange(commands, from: device.number, on: connection, into: &exchange)
    }

    package func exchange(
        _ command: StoreCommand,
        on connection: StoreConnectionID?,
        into exchange: inout Exchange
    ) {
        device.core.exchange(command, from: device.number, on: connection, into: &exchange)
    }
}
