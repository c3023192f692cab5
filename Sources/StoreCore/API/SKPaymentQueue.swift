import Foundation

/// A queue that sends the app's payments to the store and reports their outcome to observers.
///
/// An app uses ``default()``, the default queue of the current ``StoreContext``. A test can create any number of
/// queues, on any store, with ``init(backend:journal:clock:delivery:log:)``.
///
/// All members are thread-safe. The callbacks of a queue never overlap, and come in order. By default they run on the
/// main queue, and never inside the call that has caused them. Unfinished payments survive the queue: in the store or,
/// until the store has acknowledged them, in the queue's journal.
open class SKPaymentQueue: NSObject, @unchecked Sendable {
    // unchecked: the only stored property is a constant object, which guards its own state.
    let notifier: ObserverNotifier

    /// Creates an additional queue in the current ``StoreContext``.
    ///
    /// It uses the context's store, and has a journal of its own in memory. Apps use ``default()`` instead.
    public override init() {
        notifier =
            InitializerHandover.take(for: type(of: self)) ?? ObserverNotifier(.current, journal: MemoryJournal())
        super.init()
        notifier.attach(self)
    }

    /// Creates a queue for a store, in a context of its own.
    ///
    /// In this queue's callbacks, ``default()`` returns this queue.
    ///
    /// - Parameters:
    ///   - backend: the store.
    ///   - journal: the journal of commands that the store has not acknowledged; by default in memory.
    ///   - clock: the clock for delays; by default the store's.
    ///   - delivery: the place where observers are called.
    ///   - log: the log for messages to the developer.
    public convenience init(
        backend: any StoreBackend,
        journal: (any QueueJournal)? = nil,
        clock: (any StoreClock)? = nil,
        delivery: StoreDelivery = .main,
        log: StoreLog = .standardError
    ) {
        let context = StoreContext(backend: backend, journal: journal, clock: clock, delivery: delivery, log: log)
        self.init(context: context, isOwned: false)
        context.adoptDefaultQueue(self)
    }

    convenience init(context: StoreContext, isOwned: Bool, journal: (any QueueJournal)? = nil) {
        InitializerHandover.leave(ObserverNotifier(context, isOwned: isOwned, journal: journal), for: Self.self)
        self.init()
    }

    deinit { notifier.release() }

    /// Returns the default queue of the current ``StoreContext``.
    ///
    /// Every call in one context returns the same object, until ``relaunch()`` replaces it. A subclass must override
    /// this method: otherwise the call traps.
    open class func `default`() -> Self {
        let context = StoreContext.current
        guard let queue = context.defaultQueue({ SKPaymentQueue(context: context, isOwned: true) }) as? Self else {
            fatalError("the default queue is an SKPaymentQueue; \(self) has to override default()")
        }
        return queue
    }

    /// Whether the user may make payments in the current context's store.
    ///
    /// True if no store is set: payments are then sent to the first store that is set.
    open class func canMakePayments() -> Bool {
        StoreContext.current.core.backendOrWarning?.services.availability?.canMakePayments ?? true
    }

    /// The unfinished transactions, oldest first.
    ///
    /// In Apple's Store Kit, this property is undefined without an observer; here it contains the transactions known so
    /// far. A transaction that the store has started is listed before observers are notified of it. If the app finishes
    /// the transaction before that notification, observers are notified only of its removal.
    open var transactions: [SKPaymentTransaction] {
        notifier.driver.transactions { object in
            let transaction = ObserverNotifier.own(object)
            return transaction.isFinished ? nil : transaction
        }
    }

    /// The storefront in which the store sells; nil if it is unknown.
    ///
    /// Reading it may block if the store blocks.
    open var storefront: SKStorefront? {
        notifier.core.backendOrWarning?.services.storefront?.storefront.map { SKStorefront($0) }
    }

    /// The delegate that decides about storefront changes and price consent, held weakly.
    open weak var delegate: (any SKPaymentQueueDelegate)? {
        get { notifier.delegate }
        set { notifier.delegate = newValue }
    }

    /// Adds a payment to the queue.
    ///
    /// Each call creates a transaction of its own, with a copy of the payment.
    ///
    /// Without an observer, the payment is stored, and sent once an observer is added. If the store refuses the
    /// payment, for example because of an unknown identifier, its transaction fails. A payment without an identifier,
    /// or with a quantity below 1, traps; ``addThrowing(_:)`` throws an error instead.
    open func add(_ payment: SKPayment) {
        let value = payment.value
        if let mistake = Self.mistake(in: value) { fatalError(mistake) }
        notifier.driver.add(value)
    }

    /// Adds a payment to the queue, or throws an error if the payment is invalid.
    ///
    /// - Throws: `SKError.paymentInvalid` for a quantity below 1, for an empty identifier, and for a product that the
    ///   store does not sell, if the store can determine that at once. The payment is then not added.
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
    /// The transaction is removed from ``transactions`` at once. Observers are notified of the removal once the finish
    /// is recorded in the store or the journal: a removed transaction never returns, even if the process ends.
    ///
    /// The finish goes to the queue to which the transaction belongs, whichever queue is called. Finishing a
    /// transaction again, or in a second observer, has no effect. A transaction that belongs to no queue, or is
    /// deferred, is unchanged, and a message is logged. Finishing a purchasing transaction traps;
    /// ``finishThrowing(_:)`` throws instead.
    open func finishTransaction(_ transaction: SKPaymentTransaction) {
        switch finish(transaction) {
        case .done: break
        case .undecided(let mistake): notifier.core.setup.log(mistake)
        case .tooEarly(let mistake): fatalError(mistake)
        }
    }

    /// Finishes a transaction like ``finishTransaction(_:)``, or throws an error if it cannot be finished yet.
    ///
    /// - Throws: `SKError.clientInvalid` if the transaction is purchasing or deferred. It is then unchanged.
    open func finishThrowing(_ transaction: SKPaymentTransaction) throws {
        switch finish(transaction) {
        case .done: break
        case .tooEarly(let mistake), .undecided(let mistake): throw StoreFailure.storeKit(.clientInvalid, mistake).error
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
        // The app cannot have handled an outcome of which observers have not been notified.
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

    /// Restores earlier purchases, and reports each as a new transaction in the state `restored`.
    ///
    /// Afterwards, one callback reports completion or an error. Without an observer, the restore begins once one is
    /// added. A restore that the end of the process interrupts is not repeated at the next launch.
    open func restoreCompletedTransactions() { notifier.driver.restore(applicationUsername: nil) }

    /// Restores earlier purchases like ``restoreCompletedTransactions()``, for one of the app's own users.
    ///
    /// - Parameter username: the ``SKPayment/applicationUsername`` of the payments; nil for every payment. A
    ///   ``SandboxStore`` leaves out only the purchases that were paid for with another username.
    open func restoreCompletedTransactions(withApplicationUsername username: String?) {
        notifier.driver.restore(applicationUsername: username)
    }

    /// Adds an observer, held weakly.
    ///
    /// An observer that is added twice is called once. One that is deallocated counts as removed from the next call or
    /// event on. When the first observer is added, the queue connects to its store and reports all unfinished
    /// transactions, including failed ones.
    open func add(_ observer: any SKPaymentTransactionObserver) { notifier.add(observer) }

    /// Removes an observer.
    ///
    /// Without observers, the queue is disconnected from its store.
    open func remove(_ observer: any SKPaymentTransactionObserver) { notifier.remove(observer) }

    /// The observers that were added and still exist.
    open var transactionObservers: [any SKPaymentTransactionObserver] { notifier.appObservers }

    /// Shows the sheet in which the user redeems an offer code.
    ///
    /// A redeemed code leads to an ordinary purchased transaction. If there is no sheet, or the code has no effect, the
    /// reason is logged. If the user cancels, nothing happens.
    open func presentCodeRedemptionSheet() {
        let setup = notifier.core.setupOrWarning
        guard let backend = setup.backend else { return }
        let report: @Sendable (Result<String?, StoreFailure>) -> Void = { result in
            if case .failure(let failure) = result { setup.log("no offer code was redeemed: \(failure.reason)") }
        }
        guard let codes = backend.services.codes else {
            return report(.failure(.storeKit(.unknown, "this store has no sheet for offer codes")))
        }
        codes.presentCodeRedemptionSheet(reply: report)
    }

    /// Shows the sheet for a price consent that the delegate has postponed.
    ///
    /// Does nothing if no consent is pending.
    open func showPriceConsentIfNeeded() {
        guard let consent = notifier.core.backendOrWarning?.services.consent, consent.isPriceConsentPending else {
            return
        }
        consent.showPriceConsent()
    }

    /// Starts downloads of hosted content.
    ///
    /// The downloads become active, and observers are notified of their progress. A failed download continues where it
    /// stopped; a canceled one starts over. Downloads that were started already, or that belong to no unfinished
    /// transaction of this queue, are unchanged, and the reason is logged.
    open func start(_ downloads: [SKDownload]) { obey(.start, downloads) }

    /// Pauses active downloads.
    ///
    /// The data received so far is retained. Other downloads are unchanged, and the reason is logged.
    open func pause(_ downloads: [SKDownload]) { obey(.pause, downloads) }

    /// Resumes paused downloads where they stopped.
    ///
    /// Other downloads are unchanged, and the reason is logged.
    open func resume(_ downloads: [SKDownload]) { obey(.resume, downloads) }

    /// Cancels active, paused or failed downloads.
    ///
    /// The data received so far is removed. Other downloads are unchanged, and the reason is logged.
    open func cancel(_ downloads: [SKDownload]) { obey(.cancel, downloads) }
}

extension SKPaymentQueue {
    /// Simulates the next launch: returns a new queue on the same store and journal, without observers.
    ///
    /// This queue's callbacks stop at once. If it was its context's ``default()`` queue, the new one replaces it.
    public func relaunch() -> SKPaymentQueue {
        let context = notifier.context
        notifier.retire()
        let queue = SKPaymentQueue(context: context, isOwned: notifier.isOwned, journal: notifier.ownJournal)
        context.replaceDefaultQueue(self, with: queue)
        return queue
    }

    /// Handles the app's entry into the foreground.
    ///
    /// Observers are notified again of each unfinished transaction, as after a launch. If a price consent is pending, the
    /// queue then asks the delegate whether the store may show the sheet.
    ///
    /// An app calls this method if its platform reports the event; a test calls it directly. Without an observer,
    /// nothing happens.
    public func comeToFront() {
        notifier.driver.repeatTransactions()
        notifier.driver.askForPriceConsent()
    }

    /// Waits until nothing can happen without an external event, such as the advance of time, or a decision.
    ///
    /// On the thread that delivers callbacks, this method makes the pending callbacks itself. Calling it inside a
    /// callback or an ``Authorizer`` traps, since it would wait for that call to return.
    ///
    /// - Returns: the external events that are awaited, described in a line each; the wording may change.
    @discardableResult
    public func settle() -> [String] { notifier.core.settle() }

    /// Waits, without blocking a thread, until nothing can happen without an external event.
    ///
    /// - Returns: the external events that are awaited, described in a line each; the wording may change.
    @discardableResult
    public func settle() async -> [String] { await notifier.core.settle() }
}

extension SKPaymentQueue {
    /// Applies the app's order, such as a pause, to downloads; logs a reason for each that it leaves unchanged.
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

/// A delegate of a payment queue, which decides about storefront changes and price consent.
///
/// Both methods have default implementations, with the limitation that ``SKPaymentTransactionObserver`` describes: a
/// method that only a subclass of the conforming class implements is never called. A queue holds its delegate weakly.
public protocol SKPaymentQueueDelegate: NSObjectProtocol, SendableMetatype {
    /// Returns whether a purchase in progress should continue although the storefront has changed.
    ///
    /// The default implementation returns true.
    ///
    /// If the app returns false, or does not return within about a second, the transaction fails with
    /// ``SKErrorCode/storeProductNotAvailable``.
    func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool

    /// Returns whether the store may now ask the user for consent to a price increase.
    ///
    /// The default implementation returns true.
    ///
    /// An app that returns false shows the sheet later, by calling the queue's `showPriceConsentIfNeeded()`.
    func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool
}

extension SKPaymentQueueDelegate {
    /// Returns true: the purchase continues.
    public func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool { true }

    /// Returns true: the store may ask the user now.
    public func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool { true }
}
