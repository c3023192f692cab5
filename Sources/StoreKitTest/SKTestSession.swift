import Foundation
import StoreCore

/// Steers the store that the app under test buys from.
///
/// ```swift
/// let session = try SKTestSession(configurationFileNamed: "Arcade")
/// session.clearTransactions()
/// session.askToBuyEnabled = true
/// ```
///
/// A session belongs to the `StoreContext` that is current where it is made: the running task's own, else the process's,
/// whose store it replaces as Xcode's session replaces the App Store. All sessions of one context steer the same store
/// (behaviour 201): with another file, or another clock, a new and empty one. Sessions of different contexts know nothing
/// of each other.
///
/// A call changes the store's records before it returns: ``allTransactions()`` shows the change at once. Callbacks come
/// where the context delivers them: on the main queue after the call has returned, unless the context says otherwise. A
/// test waits for them with an expectation, as in Xcode, or with the context's `settle()`.
///
/// Any thread may call anything; but tests that have a store in common disturb each other when they run side by side, as
/// in Xcode.
open class SKTestSession: NSObject, @unchecked Sendable {  // unchecked: both are constant, and any thread may use them
    let context: StoreContext
    let environment: TestEnvironment

    /// Reads a configuration and takes over the context's store.
    ///
    /// Settings are the file's. What was bought stays if the store is on this very configuration already.
    ///
    /// - Parameter fileURL: a `.storekit` file of any version, wherever it lies.
    /// - Throws: ``SKTestError`` with ``SKTestError/Code/invalidURL`` for a URL that is no file's, with
    ///   ``SKTestError/Code/fileNotFound`` where there is none, and a `StoreConfigurationError` that names the place in a
    ///   file that is broken.
    public init(contentsOf fileURL: URL) throws {
        (context, environment) = try Self.open(fileURL, on: InitializerHandover.take(for: type(of: self)))
        super.init()
    }

    /// Reads a configuration and takes over the context's store, by the initializer's newer name.
    ///
    /// - Parameter fileURL: a `.storekit` file of any version, wherever it lies.
    /// - Throws: as ``init(contentsOf:)``.
    public convenience init(contentsOfURL fileURL: URL) throws { try self.init(contentsOf: fileURL) }

    /// Reads a configuration by its file's name and takes over the context's store.
    ///
    /// The file is looked for in the main bundle, then in each `*.resources` and `*.bundle` beside it, which is where
    /// SwiftPM puts resources, in the order of their names. Where several have one of this name, the first is taken:
    /// ``init(contentsOf:)`` with `Bundle.module` takes the test's own.
    ///
    /// - Parameter filename: the name, with or without `.storekit`.
    /// - Throws: as ``init(contentsOf:)``.
    public convenience init(configurationFileNamed filename: String) throws {
        try self.init(contentsOf: ConfigurationSearch.url(named: filename))
    }

    /// Reads a configuration and takes over the context's store, on a clock of the test's.
    ///
    /// Apple's has no such initializer. With a `ManualClock` subscriptions renew when the test moves it.
    ///
    /// - Parameters:
    ///   - fileURL: a `.storekit` file of any version, wherever it lies.
    ///   - clock: the store's clock.
    /// - Throws: as ``init(contentsOf:)``.
    public convenience init(contentsOf fileURL: URL, clock: any StoreClock) throws {
        InitializerHandover.leave(clock, for: Self.self)
        // Still there if a subclass's initializer has thrown.
        defer { _ = InitializerHandover.take(for: Self.self) as (any StoreClock)? }
        try self.init(contentsOf: fileURL)
    }

    /// The store itself, which can do more than a session.
    ///
    /// What is set on it stays until the same setting of the session's changes, or ``resetToDefaultState()``.
    /// Another one takes its place with ``clearTransactions()``.
    public final var store: SandboxStore { environment.store }

    // MARK: Settings

    /// Whether purchases wait for somebody's approval; the file's unless set, else false (behaviour 208).
    open var askToBuyEnabled: Bool {
        get { environment.settings.isAskToBuyEnabled }
        set { set { $0.isAskToBuyEnabled = newValue } }
    }

    /// Whether purchases fail until their issue is resolved; the file's unless set, else false (behaviour 209).
    open var interruptedPurchasesEnabled: Bool {
        get { environment.settings.areInterruptedPurchasesEnabled }
        set { set { $0.areInterruptedPurchasesEnabled = newValue } }
    }

    /// Whether every purchase fails with ``failureError``; the file's unless set, else false (behaviour 207).
    open var failTransactionsEnabled: Bool {
        get { environment.settings.purchaseFailure != nil }
        set {
            set { settings in
                settings.areTransactionFailuresEnabled = newValue
                // What the file has of newer failures for purchases is the same to Store Kit 1.
                for index in settings.forcedErrors.indices where settings.forcedErrors[index].operation == "Purchase" {
                    settings.forcedErrors[index].isEnabled = false
                }
            }
        }
    }

    /// What every purchase fails with while ``failTransactionsEnabled`` (behaviour 207).
    ///
    /// One of `unknown`, `invalidOfferIdentifier`, `invalidSignature`, `missingOfferParams` and `invalidOfferPrice`; any
    /// other leaves it as it was, with a line in the context's log.
    open var failureError: SKError.Code {
        get { environment.settings.transactionFailureCode.flatMap(SKError.Code.init) ?? .unknown }
        set {
            let allowed: [SKError.Code] = [
                .unknown, .invalidOfferIdentifier, .invalidSignature, .missingOfferParams, .invalidOfferPrice,
            ]
            guard allowed.contains(newValue) else {
                let (kept, refused) = (failureError, newValue)
                context.log(
                    "failureError stays \(kept.name ?? "\(kept.rawValue)"): transactions cannot be made to fail with "
                        + (refused.name ?? "\(refused.rawValue)")
                )
                return
            }
            set { $0.transactionFailureCode = newValue.rawValue }
        }
    }

    /// Whether renewals cannot be paid for until their issue is resolved; the file's unless set, else false (behaviour 210).
    open var shouldEnterBillingRetryOnRenewal: Bool {
        get { environment.settings.isBillingRetryOnRenewalEnabled }
        set { set { $0.isBillingRetryOnRenewalEnabled = newValue } }
    }

    /// Whether a grace period precedes billing retry; the file's unless set, else false (behaviour 210).
    open var billingGracePeriodIsEnabled: Bool {
        get { environment.settings.isBillingGracePeriodEnabled }
        set { set { $0.isBillingGracePeriodEnabled = newValue } }
    }

    /// Whether nobody is asked at the screen; the file's unless set, else false (behaviour 206).
    ///
    /// Nobody ever is here, so that it changes nothing.
    open var disableDialogs: Bool {
        get { environment.settings.areDialogsDisabled }
        set { set { $0.areDialogsDisabled = newValue } }
    }

    /// The country that the store sells for, ISO 3166-1 alpha-3; the file's unless set, else `USA` (behaviour 205).
    ///
    /// What is no country's code leaves it as it was, with a line in the context's log.
    open var storefront: String {
        get { environment.settings.storefront }
        set {
            do {
                try store.setStorefront(newValue)
            } catch {
                context.log("storefront stays \(storefront): \(error)")
                return
            }
            set { $0.storefront = newValue }
        }
    }

    /// The language of the products' texts; the file's unless set, else US English (behaviour 205).
    open var locale: Locale {
        get { Locale(identifier: environment.settings.locale) }
        set { set { $0.locale = newValue.identifier } }
    }

    /// How fast subscriptions renew; the file's unless set, else real time.
    ///
    /// A period that has begun keeps its length.
    open var timeRate: TimeRate {
        get { TimeRate(rawValue: environment.settings.timeRate) ?? .realTime }
        set { set { $0.timeRate = newValue.rawValue } }
    }

    /// Goes back to the file's settings; what was bought stays (behaviour 203).
    open func resetToDefaultState() {
        environment.reset(in: context)
    }

    // MARK: Transactions

    /// All transactions, the oldest first: also those that failed, wait, or are finished (behaviour 217).
    open func allTransactions() -> [SKTestTransaction] {
        do {
            return try TestHistory(store).testTransactions
        } catch {
            context.log("the test session's transactions could not be read: \(error)")
            return []
        }
    }

    /// Makes everything as if nothing had ever been bought; the settings stay (behaviour 203).
    ///
    /// Numbers begin at 0 again.
    open func clearTransactions() {
        environment.clear(in: context)
    }

    /// Removes a transaction, and what renews or restores it, as if it had never been (behaviour 218).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``.
    open func deleteTransaction(identifier: Int) throws {
        try act(on: identifier) { store, transaction in try store.deleteTransaction(transaction.id) }
    }

    /// Buys something outside the app; the transaction comes to the queue (behaviour 211).
    ///
    /// It has been bought elsewhere: nobody is asked about it, nothing interrupts it, and ``failTransactionsEnabled`` does
    /// not keep it from being bought.
    ///
    /// - Throws: ``SKTestError/Code/invalidProductIdentifier`` for what the configuration does not have, and
    ///   ``SKTestError/Code/invalidAction`` for what the store refuses.
    open func buyProduct(productIdentifier: String) throws {
        _ = try product(productIdentifier)
        try act { store in try store.account.buy(productIdentifier) }
    }

    /// Pays a purchase back, at once (behaviour 212).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, and ``SKTestError/Code/invalidAction`` for what nobody paid for,
    ///   or what was paid back already.
    open func refundTransaction(identifier: Int) throws {
        try act(on: identifier) { store, transaction in try store.refund(transaction.id) }
    }

    /// Approves what waits for somebody's approval: it is purchased (behaviour 208).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, and ``SKTestError/Code/invalidAction`` for what does not wait.
    open func approveAskToBuyTransaction(identifier: Int) throws {
        try act(on: identifier) { store, transaction in try store.decide(transaction.id, .approve) }
    }

    /// Declines what waits for somebody's approval: it fails (behaviour 208).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, and ``SKTestError/Code/invalidAction`` for what does not wait.
    open func declineAskToBuyTransaction(identifier: Int) throws {
        try act(on: identifier) { store, transaction in try store.decide(transaction.id, .decline()) }
    }

    /// Resolves what keeps a purchase from being made, or a renewal from being paid for (behaviours 209 and 210).
    ///
    /// An interrupted purchase comes as a new purchased transaction. Where billing retry is over, nothing happens.
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, and ``SKTestError/Code/invalidAction`` for a transaction that
    ///   has no issue and is not a subscription's.
    open func resolveIssueForTransaction(identifier: Int) throws {
        let history = try TestHistory(store)
        let transaction = try history.transaction(identifier)
        if history.isInterrupted(transaction) {
            try act { store in try store.resolveIssue(transaction.id) }
        } else if let subscription = history.subscription(of: transaction) {
            try act { store in try store.account.resolveBillingIssue(inGroup: subscription.groupIdentifier) }
        } else {
            throw SKTestError(.invalidAction, "the transaction \(identifier) has no issue to resolve")
        }
    }

    // MARK: Subscriptions

    /// Lets a transaction's subscription renew, as new ones do (behaviour 213).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, and ``SKTestError/Code/noSubscriptionFound`` for what belongs to
    ///   none, or to one that is over.
    open func enableAutoRenewForTransaction(identifier: Int) throws {
        try act(onSubscriptionOf: identifier) { account, group in try account.setAutoRenew(true, inGroup: group) }
    }

    /// Lets a transaction's subscription end with its period (behaviour 213).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, and ``SKTestError/Code/noSubscriptionFound`` for what belongs to
    ///   none, or to one that is over.
    open func disableAutoRenewForTransaction(identifier: Int) throws {
        try act(onSubscriptionOf: identifier) { account, group in try account.setAutoRenew(false, inGroup: group) }
    }

    /// Ends a subscription now, and turns its renewal off (behaviour 214).
    ///
    /// - Throws: ``SKTestError/Code/invalidProductIdentifier``, ``SKTestError/Code/invalidProductType`` for a product that
    ///   does not renew, ``SKTestError/Code/noSubscriptionFound`` for one that nobody is subscribed to.
    open func expireSubscription(productIdentifier: String) throws {
        let group = try group(of: productIdentifier)
        try act { store in try store.account.expireSubscription(inGroup: group) }
    }

    /// Ends a subscription's period now and begins the next (behaviour 215).
    ///
    /// - Throws: ``SKTestError/Code/invalidProductIdentifier``, ``SKTestError/Code/invalidProductType`` for a product that
    ///   does not renew, ``SKTestError/Code/noSubscriptionFound`` for one that nobody is subscribed to.
    open func forceRenewalOfSubscription(productIdentifier: String) throws {
        let group = try group(of: productIdentifier)
        try act { store in try store.account.forceRenewal(inGroup: group) }
    }

    /// Asks for consent to a higher price of a transaction's subscription (behaviour 216).
    ///
    /// The price need not change, and it may be asked again. Without an answer the subscription ends with its period.
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, ``SKTestError/Code/noSubscriptionFound``.
    open func requestPriceIncreaseConsentForTransaction(identifier: Int) throws {
        try act(onSubscriptionOf: identifier) { try $0.requestPriceIncreaseConsent(inGroup: $1) }
    }

    /// Consents to the higher price: the subscription goes on (behaviour 216).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, ``SKTestError/Code/noSubscriptionFound``, and
    ///   ``SKTestError/Code/invalidAction`` where nobody was asked.
    open func consentToPriceIncreaseForTransaction(identifier: Int) throws {
        try act(onSubscriptionOf: identifier) { try $0.answerPriceConsent(.agree, inGroup: $1) }
    }

    /// Declines the higher price: the subscription will not renew (behaviour 216).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, ``SKTestError/Code/noSubscriptionFound``, and
    ///   ``SKTestError/Code/invalidAction`` where nobody was asked.
    open func declinePriceIncreaseForTransaction(identifier: Int) throws {
        try act(onSubscriptionOf: identifier) { try $0.answerPriceConsent(.decline, inGroup: $1) }
    }
}
