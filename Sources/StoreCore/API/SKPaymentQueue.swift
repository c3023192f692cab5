import Foundation

/// A queue that sends the app's payments to the store and reports their outcome to observers.
///
/// An app uses ``default()``, the one queue of the ``StoreContext`` it runs in. A test may create any number, on any
/// store, with ``init(backend:journal:clock:delivery:log:)``.
///
/// All members are thread-safe. Callbacks of one queue never overlap and keep their order. By default they run on the
/// main queue, and never inside the call that caused them. Unfinished payments survive the queue: in the store or,
/// until the store has acknowledged them, in the queue's journal.
open class SKPaymentQueue: NSObject, @unchecked Sendable {
    // unchecked: the only stored property is a constant that guards its own state.
    let notifier: ObserverNotifier

    /// Creates another queue in the current ``StoreContext``.
    ///
    /// It uses the context's store and a journal of its own in memory. Apps use ``default()``; this is for tests and
    /// their mocks.
    public override init() {
        notifier =
            InitializerHandover.take(for: type(of: self)) ?? ObserverNotifier(.current, journal: MemoryJournal())
        super.init()
        notifier.attach(self)
    }

    /// Creates a queue on a store, in a context of its own.
    ///
    /// In its callbacks ``default()`` is this queue.
    ///
    /// - Parameters:
    ///   - backend: the store.
    ///   - journal: the journal of commands that the store has not acknowledged; in memory by default.
    ///   - clock: the clock for delays; the store's by default.
    ///   - delivery: the place where observers are called.
    ///   - log: the log for messages to the developer.
    public convenience init(
        backend: any StoreBackend,
        journal: (any QueueJournal)? = nil,
        clock: (any StoreClock)? = nil,
        delivery: StoreDelivery = .main,
        log: StoreLog = .standardError
    ) {
        let context = StoreContext(
            backend: backend,
            journal: journal,
            clock: clock,
            delivery: delivery,
            log: log
        )
        self.init(context: context, isOwned: false)
        context.adoptDefaultQueue(self)
    }

    convenience init(context: StoreContext, isOwned: Bool, journal: (any QueueJournal)? = nil) {
        InitializerHandover.leave(ObserverNotifier(context, isOwned: isOwned, journal: journal), for: Self.self)
        self.init()
    }

    deinit { notifier.release() }

    /// Returns the one queue of the current ``StoreContext``.
    ///
    /// Every call returns the same object.
    ///
    /// A subclass has no default queue of its own: unless it overrides this method, the call traps with a message.
    open class func `default`() -> Self {
        let context = StoreContext.current
        guard let queue = context.defaultQueue({ SKPaymentQueue(context: context, isOwned: true) }) as? Self else {
            fatalError("the default queue is an SKPaymentQueue; \(self) has to override default()")
        }
        return queue
    }

    /// Whether the user of the current context's store may pay.
    ///
    /// True while no store is set: payments wait for one.
    open class func canMakePayments() -> Bool {
        StoreContext.current.core.backendOrWarning?.services.availability?.canMakePayments ?? true
    }

    /// The unfinished transactions, oldest first.
    ///
    /// Store Kit leaves this undefined without an observer; here it has the transactions known so far.
    ///
    /// A transaction that the store starts is listed before observers are notified of it. If the app finishes it first, they
    /// are notified only of the removal.
    open var transactions: [SKPaymentTransaction] {
        notifier.driver.transactions { object in
            let transaction = ObserverNotifier.own(object)
            return transaction.isFinished ? nil : transaction
        }
    }

    /// The country that the store sells for, nil when unknown.
    ///
    /// May block, if the store does.
    open var storefront: SKStorefront? {
        notifier.core.backendOrWarning?.services.storefront?.storefront.map { SKStorefront($0) }
    }

    /// The delegate that decides about storefront changes and price consent, held weakly.
    open weak var delegate: (any SKPaymentQueueDelegate)? {
        get { notifier.delegate }
        set { notifier.delegate = newValue }
    }

    /// Adds a request for payment.
    ///
    /// Each call creates a transaction of its own, for a copy of the payment.
    ///
    /// Without an observer the payment is stored, and sent when one is added. A payment that the store rejects, even for
    /// an unknown identifier, comes back as a failed transaction. A payment without an identifier or with a quantity
    /// below 1 traps; ``addThrowing(_:)`` throws instead.
    open func add(_ payment: SKPayment) {
        let value = payment.value
        if let mistake = Self.mistake(in: value) { fatalError(mistake) }
        notifier.driver.add(value)
    }

    /// Adds a request for payment, or throws if it is invalid.
    ///
    /// - Throws: `SKError.paymentInvalid` for a quantity below 1, for an empty identifier, and for one that the store
    ///   does not sell, if the store can determine that at once. Nothing has been added then.
    open func addThrowing(_ payment: SKPayment) throws {
        let value = payment.value
        if let mistake = Self.mistake(in: value) { throw StoreFailure.storeKit(.paymentInvalid, mistake).error }
        if notifier.core.backendOrWarning?.services.availability?.sells(value.productIdentifier) == false {
            throw StoreFailure.storeKit(.paymentInvalid, "the store does not sell \(value.productIdentifier)").error
        }
        notifier.driver.add(value)
    }

    private static func mistake(in payment: StorePayment) -> String? {
        if payment.productIdentifier.isEmpty { return "a payment needs a product identifier; this one's is empty" }
        if payment.quantity < 1 {
            return
                "a payment's quantity is at least 1; this one for \(payment.productIdentifier) has \(payment.quantity)"
        }
        return nil
    }

    /// Finishes a transaction that the app has delivered, or whose failure it has handled.
    ///
    /// The transaction leaves ``transactions`` at once. Observers are notified of the removal once the finish is recorded in
    /// the store or in the journal: a transaction reported as removed never returns, even if the process ends.
    ///
    /// The transaction's own queue finishes it, whichever queue is called. Finishing it again, or from a second observer,
    /// has no effect. A transaction that belongs to no queue, or is still deferred, stays unchanged, and a message is
    /// logged. One that is still purchasing traps; ``finishThrowing(_:)`` throws instead.
    open func finishTransaction(_ transaction: SKPaymentTransaction) {
        switch finish(transaction) {
        case .done: break
        case .undecided(let mistake): notifier.core.setup.log(mistake)
        case .tooEarly(let mistake): fatalError(mistake)
        }
    }

    /// Finishes a transaction like ``finishTransaction(_:)``, or throws if it cannot be finished yet.
    ///
    /// - Throws: `SKError.clientInvalid` for a transaction that is still purchasing or deferred. It stays unchanged.
    open func finishThrowing(_ transaction: SKPaymentTransaction) throws {
        switch finish(transaction) {
        case .done: break
        case .tooEarly(let mistake), .undecided(let mistake):
            throw StoreFailure.storeKit(.clientInvalid, mistake).error
        }
    }

    private enum Finish {
        case done
        case tooEarly(String)
        case undecided(String)
    }

    private func finish(_ transaction: SKPaymentTransaction) -> Finish {
        guard let driver = transaction.driver, transaction.number > 0 else {
            notifier.core.setup.log("a transaction that belongs to no queue was finished; that does nothing")
            return .done
        }
        // The app cannot have handled an outcome that observers have not been notified of.
        let answer: QueueMachine.FinishAnswer =
            transaction.isPurchasing
            ? .purchasing : transaction.isDeferred ? .deferred : driver.finish(transaction.number)
        switch answer {
        case .finished:
            transaction.finishLate()
            return .done
        case .deferred:
            let product = transaction.payment.productIdentifier
            return .undecided("a transaction for \(product) is still undecided; it cannot be finished yet")
        case .purchasing:
            let product = transaction.payment.productIdentifier
            return .tooEarly(
                "the transaction for \(product) is still purchasing; finish it when it is purchased, failed or restored"
            )
        }
    }

    /// Restores earlier purchases: reports a new transaction in state restored for each that can be restored, then
    /// completion or the error in one callback.
    open func restoreCompletedTransactions() { notifier.driver.restore(applicationUsername: nil) }

    /// Restores earlier purchases, with the application username that their payments carried.
    open func restoreCompletedTransactions(withApplicationUsername username: String?) {
        notifier.driver.restore(applicationUsername: username)
    }

    /// Adds an observer, held weakly.
    ///
    /// An observer added twice counts once. One that is deallocated counts as removed from the next call or event on.
    ///
    /// With the first observer the queue connects to its store and reports all unfinished transactions, failed ones too.
    open func add(_ observer: any SKPaymentTransactionObserver) { notifier.add(observer) }

    /// Removes an observer.
    ///
    /// Without observers the queue no longer follows its store.
    open func remove(_ observer: any SKPaymentTransactionObserver) { notifier.remove(observer) }

    /// The observers that are attached and alive.
    open var transactionObservers: [any SKPaymentTransactionObserver] { notifier.appObservers }

    /// Shows the sheet in which the user redeems an offer code.
    ///
    /// A redeemed code leads to an ordinary purchased transaction. If the store has no sheet, or no code is redeemed,
    /// the reason is logged.
    open func presentCodeRedemptionSheet() {
        let setup = notifier.core.setupOrWarning
        guard let backend = setup.backend else { return }
        let report: @Sendable (StoreFailure?) -> Void = { failure in
            if let failure { setup.log("no offer code was redeemed: \(failure.reason)") }
        }
        guard let codes = backend.services.codes else {
            return report(.storeKit(.unknown, "this store has no sheet for offer codes"))
        }
        codes.presentCodeRedemptionSheet(reply: report)
    }

    /// Shows the price consent sheet that the delegate postponed.
    ///
    /// Does nothing while no consent is pending.
    open func showPriceConsentIfNeeded() {
        guard let consent = notifier.core.backendOrWarning?.services.consent, consent.isPriceConsentPending else {
            return
        }
        consent.showPriceConsent()
    }

    /// Starts downloads of hosted content.
    ///
    /// They become active, and observers are notified of their progress. A failed download continues where it stopped; a
    /// canceled one starts over. Downloads that were started already, or belong to no unfinished transaction of this
    /// queue, are not queued; the reason is logged.
    open func start(_ downloads: [SKDownload]) { obey(.start, downloads) }

    /// Pauses active downloads.
    ///
    /// They retain the data received so far. Others stay unchanged; the reason is logged.
    open func pause(_ downloads: [SKDownload]) { obey(.pause, downloads) }

    /// Resumes paused downloads where they stopped.
    ///
    /// Others stay unchanged; the reason is logged.
    open func resume(_ downloads: [SKDownload]) { obey(.resume, downloads) }

    /// Cancels active, paused or failed downloads.
    ///
    /// The data received so far is removed. Others stay unchanged; the reason is logged.
    open func cancel(_ downloads: [SKDownload]) { obey(.cancel, downloads) }
}

extension SKPaymentQueue {
    /// Returns the queue of a simulated next launch: a new one on the same store and journal, without observers.
    ///
    /// This queue stops its callbacks at once. If it was its context's ``default()``, the new one becomes it.
    public func relaunch() -> SKPaymentQueue {
        let context = notifier.context
        notifier.retire()
        let queue = SKPaymentQueue(context: context, isOwned: notifier.isOwned, journal: notifier.ownJournal)
        context.replaceDefaultQueue(self, with: queue)
        return queue
    }

    /// Handles the app's move to the foreground: if a price consent is pending, asks the delegate whether the store may
    /// show it.
    ///
    /// An app calls this if its platform reports the move; a test calls it directly. Without an observer
    /// nothing happens.
    public func comeToFront() { notifier.driver.askForPriceConsent() }

    /// Waits until only an external event can cause more work: time advances, a decision is made, a response is released.
    ///
    /// On the thread that delivers callbacks it runs them itself. Inside a callback it would wait for itself, so it
    /// traps with a message.
    ///
    /// - Returns: the work that waits for an external event, a line each; the wording may change.
    @discardableResult
    public func settle() -> [String] { notifier.core.settle() }

    /// Waits, without blocking a thread, until only an external event can cause more work.
    ///
    /// - Returns: the work that waits for an external event, a line each; the wording may change.
    @discardableResult
    public func settle() async -> [String] { await notifier.core.settle() }
}

extension SKPaymentQueue {
    /// Applies the app's order to downloads, and logs the reason for each that rejects it.
    func obey(_ order: DownloadOrder, _ downloads: [SKDownload]) {
        let engine = notifier.driver.downloadEngine.load()
        func refuse(_ download: SKDownload, _ refusal: DownloadRefusal) {
            let name = download.contentIdentifier
            let reason = refusal.rawValue
            notifier.core.setup.log("the download of \(name) is left as it is, asked to \(order.rawValue): \(reason)")
        }
        var own: [Int: SKDownload] = [:]
        var numbers: [Int] = []
        for download in downloads {
            guard let source = download.details.withLock({ $0.source }), source.engine === engine else {
                refuse(download, .foreign)
                continue
            }
            own[source.number] = download
            numbers.append(source.number)
        }
        guard let engine, !numbers.isEmpty else { return }
        for (number, refusal) in engine.obey(order, numbers) {
            if let download = own[number] { refuse(download, refusal) }
        }
    }
}

/// A delegate that answers the store's questions for a payment queue.
///
/// Both methods are optional through a default, with the limit that ``SKPaymentTransactionObserver`` describes: one
/// that only a subclass of the conforming class implements is never called. A queue holds its delegate weakly.
public protocol SKPaymentQueueDelegate: NSObjectProtocol, SendableMetatype {
    /// Whether a purchase in progress should continue although the storefront changed.
    ///
    /// Optional: true.
    ///
    /// If the app returns false, or has not answered after about a second, the transaction fails with
    /// ``SKErrorCode/storeProductNotAvailable``.
    func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool

    /// Whether the store may ask the user for consent to a higher price now.
    ///
    /// Optional: true.
    ///
    /// An app that returns false shows the consent sheet later, with the queue's `showPriceConsentIfNeeded()`.
    func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool
}

extension SKPaymentQueueDelegate {
    /// Returns true: the purchase continues.
    public func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool { true }

    /// Returns true: the store may ask.
    public func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool { true }
}
