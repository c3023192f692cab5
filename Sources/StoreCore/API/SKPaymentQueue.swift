import Foundation

/// The queue of payments: what the app adds is sent to the store, and observers hear what becomes of it.
///
/// An app uses ``default()``, the one queue of the ``StoreContext`` it runs in; a test may make as many as it likes, on
/// any store, with ``init(backend:journal:clock:delivery:log:)``.
///
/// Any thread may call anything. Callbacks of one queue never overlap and keep their order; by default they are made on
/// the main queue, and none inside the call that led to it. What was added and not finished survives the queue, in the
/// store or, until the store has acknowledged it, in the queue's journal.
open class SKPaymentQueue: NSObject, @unchecked Sendable {
    // unchecked: the only stored property is a constant, and guards its own state.
    let notifier: ObserverNotifier

    /// Makes another queue in the current context, see ``StoreContext``.
    ///
    /// It is on the context's store and has a journal of its own in memory. Apps use ``default()``; this is for tests and
    /// their mocks.
    public override init() {
        notifier =
            InitializerHandover.take(for: type(of: self)) ?? ObserverNotifier(.current, journal: MemoryJournal())
        super.init()
        notifier.attach(self)
    }

    /// Makes a queue on a store, in a context of its own.
    ///
    /// In its callbacks ``default()`` is this queue.
    ///
    /// - Parameters:
    ///   - backend: the store.
    ///   - journal: what keeps commands that the store has not acknowledged; in memory unless given.
    ///   - clock: the clock for pauses; the store's unless given.
    ///   - delivery: where observers are called.
    ///   - log: where the few lines go that a developer should see.
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

    /// The one queue of the current context, see ``StoreContext``.
    ///
    /// Asking again gives the same object.
    ///
    /// A subclass has no default queue of its own: asking it for one stops the process with a sentence, unless it
    /// overrides this.
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
    open class func canMakePayments() -> Bool { StoreContext.current.core.backendOrWarning?.canMakePayments ?? true }

    /// What is unfinished, oldest first.
    ///
    /// Store Kit leaves this undefined without an observer; here it is what is known.
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
        notifier.core.backendOrWarning?.storefront.map {
            SKStorefront(countryCode: $0.countryCode, identifier: $0.identifier)
        }
    }

    /// Decides about storefront changes and price consent.
    ///
    /// Not kept alive.
    open weak var delegate: (any SKPaymentQueueDelegate)? {
        get { notifier.delegate }
        set { notifier.delegate = newValue }
    }

    /// Adds a request for payment.
    ///
    /// Each call makes a transaction of its own, of a copy of the payment.
    ///
    /// Without an observer it is kept, and sent when one is added. What the store refuses, an unknown identifier too,
    /// comes back as a failed transaction. A payment without an identifier or with a quantity below 1 stops the process;
    /// ``addThrowing(_:)`` throws instead.
    open func add(_ payment: SKPayment) {
        let value = payment.value
        if let mistake = Self.mistake(in: value) { fatalError(mistake) }
        notifier.driver.add(value)
    }

    /// Adds a request for payment, or says what is wrong with it.
    ///
    /// - Throws: `SKError.paymentInvalid` for a quantity below 1, for an identifier that is empty, and for one that the
    ///   store does not sell, where the store can tell at once. Nothing has been added then.
    open func addThrowing(_ payment: SKPayment) throws {
        let value = payment.value
        if let mistake = Self.mistake(in: value) { throw StoreFailure.storeKit(.paymentInvalid, mistake).error }
        if notifier.core.backendOrWarning?.sells(value.productIdentifier) == false {
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

    /// Says that the app has delivered what a transaction is about, or dealt with its failure.
    ///
    /// It leaves ``transactions`` at once. Observers hear that it was removed once the finish is recorded, in the store or
    /// in the journal: what they have heard removed never comes again, whatever becomes of the process.
    ///
    /// The transaction's own queue finishes it, whichever queue is asked. Finishing again, or from a second observer, does
    /// nothing; a transaction that belongs to no queue, or still waits for somebody's decision, is left alone with a line
    /// in the log. One that is still purchasing stops the process; ``finishThrowing(_:)`` throws instead.
    open func finishTransaction(_ transaction: SKPaymentTransaction) {
        switch finish(transaction) {
        case .done: break
        case .undecided(let mistake): notifier.core.setup.log(mistake)
        case .tooEarly(let mistake): fatalError(mistake)
        }
    }

    /// Finishes a transaction like ``finishTransaction(_:)``, or says what is wrong with that.
    ///
    /// - Throws: `SKError.clientInvalid` for a transaction that is still purchasing or waits for somebody's decision. It
    ///   stays as it is.
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
        // What observers have not been told yet, the app cannot have dealt with.
        let answer: QueueMachine.FinishAnswer =
            transaction.isPurchasing
            ? .purchasing : transaction.isDeferred ? .deferred : driver.finish(transaction.number)
        switch answer {
        case .finished: return .done
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

    /// Asks the store for what was bought earlier and can be restored: a new transaction in state restored for each, then
    /// one callback that says that this was all, or what went wrong.
    open func restoreCompletedTransactions() { notifier.driver.restore(applicationUsername: nil) }

    /// Asks for what was bought earlier, with the name that the payments carried.
    open func restoreCompletedTransactions(withApplicationUsername username: String?) {
        notifier.driver.restore(applicationUsername: username)
    }

    /// Adds an observer, which is not kept alive.
    ///
    /// Adding one twice is adding it once. An observer that is deallocated counts as removed from the next call or event on.
    ///
    /// With the first, the queue connects to its store: everything unfinished comes, failed transactions too.
    open func add(_ observer: any SKPaymentTransactionObserver) { notifier.add(observer) }

    /// Removes an observer.
    ///
    /// Without any the queue no longer follows its store.
    open func remove(_ observer: any SKPaymentTransactionObserver) { notifier.remove(observer) }

    /// The observers that are attached and alive.
    open var transactionObservers: [any SKPaymentTransactionObserver] { notifier.currentObservers }

    /// Shows the sheet in which the user redeems an offer code.
    ///
    /// A code that is redeemed leads to an ordinary purchased transaction. Where the store has no sheet, or nothing comes of
    /// the code, a line in the log says why.
    open func presentCodeRedemptionSheet() {
        let setup = notifier.core.setupOrWarning
        setup.backend?.presentCodeRedemptionSheet { failure in
            if let failure { setup.log("no offer code was redeemed: \(failure.reason)") }
        }
    }

    /// Shows the price consent sheet that the delegate put off.
    ///
    /// Does nothing while no consent is pending.
    open func showPriceConsentIfNeeded() {
        guard let backend = notifier.core.backendOrWarning, backend.isPriceConsentPending else { return }
        backend.showPriceConsent()
    }

    /// Starts downloads of hosted content.
    ///
    /// They become active, and observers hear how they get on. One that has failed goes on where it was; one that was
    /// cancelled begins anew. Those that have been started already or do not belong to an unfinished transaction of this
    /// queue are not queued; a line in the log says why.
    open func start(_ downloads: [SKDownload]) { obey(.start, downloads) }

    /// Pauses downloads that are active.
    ///
    /// They keep what they have. Others stay as they are; a line in the log says why.
    open func pause(_ downloads: [SKDownload]) { obey(.pause, downloads) }

    /// Goes on with downloads that were paused, from where they are.
    ///
    /// Others stay as they are; a line in the log says why.
    open func resume(_ downloads: [SKDownload]) { obey(.resume, downloads) }

    /// Takes downloads that are active, paused or failed off the list.
    ///
    /// What they had is removed. Others stay as they are; a line in the log says why.
    open func cancel(_ downloads: [SKDownload]) { obey(.cancel, downloads) }

    private func missing(_ feature: String) {
        notifier.core.setup.log("this store has no \(feature); nothing happens")
    }
}

extension SKPaymentQueue {
    /// What the app would find at its next launch: a new queue on the same store and journal, without observers.
    ///
    /// This queue falls silent at once. If it was its context's ``default()``, the new one is.
    public func relaunch() -> SKPaymentQueue {
        let context = notifier.context
        notifier.retire()
        let queue = SKPaymentQueue(context: context, isOwned: notifier.isOwned, journal: notifier.ownJournal)
        context.replaceDefaultQueue(self, with: queue)
        return queue
    }

    /// What happens when the app comes to the front: the delegate is asked whether the store may ask its user about a
    /// higher price, if it wants to.
    ///
    /// An app whose platform tells it calls this; a test does in its place. Without an observer nothing happens.
    public func comeToFront() { notifier.driver.askForPriceConsent() }

    /// Waits until nothing can happen any more without an outside act: time moved, a decision made, an answer released.
    ///
    /// On the thread that delivers callbacks it makes them itself. Inside a callback it would wait for itself: that stops
    /// the process with a sentence.
    ///
    /// - Returns: what waits for an outside act, a line each, in no promised wording.
    @discardableResult
    public func settle() -> [String] { notifier.core.settle() }

    /// Waits, without holding up a thread, until nothing can happen any more without an outside act.
    ///
    /// - Returns: what waits for an outside act, a line each, in no promised wording.
    @discardableResult
    public func settle() async -> [String] { await notifier.core.settle() }
}
