import Foundation
import StoreCore

/// A session that controls the store that the app under test buys from.
///
/// ```swift
/// let session = try SKTestSession(configurationFileNamed: "Arcade")
/// session.clearTransactions()
/// session.askToBuyEnabled = true
/// ```
///
/// A session belongs to the `StoreContext` that is current where it is created: that of the running task, or else that
/// of the process. The session replaces the context's store, as Xcode's session replaces the App Store. All sessions of
/// one context control the same store (behavior 201); another file, clock or signer begins a new and empty store.
/// Sessions of different contexts are independent.
///
/// A call changes the store's records before it returns: ``allTransactions()`` shows the change at once. Callbacks run
/// where the context delivers them: by default on the main queue, after the call has returned. A test waits for them
/// with an expectation, as in Xcode, or with the context's `settle()`.
///
/// All methods may be called from any thread, but tests that share a store interfere with each other when they run
/// concurrently, as in Xcode.
open class SKTestSession: NSObject, @unchecked Sendable {  // unchecked: its properties are constant and thread-safe
    let context: StoreContext
    let environment: TestEnvironment

    /// Creates a session from a configuration file, and sets the context's store accordingly.
    ///
    /// The settings are those of the file. A store that already has exactly this configuration retains its purchases.
    ///
    /// - Parameter fileURL: a `.storekit` file of any version, in any folder.
    /// - Throws: ``SKTestError`` with ``SKTestError/Code/invalidURL`` for a URL that is no file's, with
    ///   ``SKTestError/Code/fileNotFound`` if the file does not exist, and a `StoreConfigurationError` that names the
    ///   location of the error in an invalid file.
    public init(contentsOf fileURL: URL) throws {
        (context, environment) = try Self.open(fileURL, with: InitializerHandover.take(for: type(of: self)))
        super.init()
    }

    /// Creates a session as ``init(contentsOf:)`` does, under that initializer's newer name.
    ///
    /// - Parameter fileURL: a `.storekit` file of any version, in any folder.
    /// - Throws: as ``init(contentsOf:)``.
    public convenience init(contentsOfURL fileURL: URL) throws { try self.init(contentsOf: fileURL) }

    /// Creates a session from a configuration file with a name, and sets the context's store accordingly.
    ///
    /// The file is looked up in the main bundle, then in each `*.resources` and `*.bundle` beside it, where SwiftPM
    /// puts resources, in the order of their names. The first file of this name is used. To load the test's own file,
    /// pass its URL in `Bundle.module` to ``init(contentsOf:)``.
    ///
    /// - Parameter filename: the name, with or without `.storekit`.
    /// - Throws: as ``init(contentsOf:)``.
    public convenience init(configurationFileNamed filename: String) throws {
        try self.init(contentsOf: ConfigurationSearch.url(named: filename))
    }

    /// Creates a session from a configuration file, on the test's own clock.
    ///
    /// Apple's class has no such initializer. With a `ManualClock` subscriptions renew when the test advances it.
    ///
    /// - Parameters:
    ///   - fileURL: a `.storekit` file of any version, in any folder.
    ///   - clock: the store's clock.
    /// - Throws: as ``init(contentsOf:)``.
    public convenience init(contentsOf fileURL: URL, clock: any StoreClock) throws {
        try self.init(contentsOf: fileURL, clock: clock, signer: nil)
    }

    /// Creates a session from a configuration file, with the test's own signer for receipts and JWS.
    ///
    /// Apple's class has no such initializer. With an `AppStoreSigner` in Xcode's form whose `CertificateAuthority`
    /// stores its keys in a folder, sessions have the same ``publicCertificate`` in every process.
    ///
    /// - Parameters:
    ///   - fileURL: a `.storekit` file of any version, in any folder.
    ///   - clock: the store's clock; the real time if nil.
    ///   - signer: the signer; the session's own if nil. Its environment is that of all transactions.
    /// - Throws: as ``init(contentsOf:)``.
    public convenience init(contentsOf fileURL: URL, clock: (any StoreClock)? = nil, signer: (any ReceiptSigner)?)
        throws
    {
        InitializerHandover.leave(Handover(clock: clock, signer: signer), for: Self.self)
        // Removes values that were not taken because a subclass's initializer has thrown.
        defer { _ = InitializerHandover.take(for: Self.self) as Handover? }
        try self.init(contentsOf: fileURL)
    }

    /// The store, which has operations that a session lacks.
    ///
    /// Settings made on the store remain until the session changes the same setting, or until
    /// ``resetToDefaultState()``. ``clearTransactions()`` replaces the store.
    public final var store: SandboxStore { environment.store }

    /// The certificate that signs the session's app receipts, in DER (A15).
    ///
    /// Xcode saves its own certificate from the editor of a configuration file, as "Save Public Certificate", for apps
    /// that verify receipts themselves. An app trusts the certificate in place of Apple's root, and builds no chain
    /// (`PKCS7_NOCHAIN`), since the receipt contains no other. All sessions of a process have the same certificate,
    /// except those created with a signer. Nil if libcrypto is missing, and with a signer of another form.
    public final var publicCertificate: Data? { SessionSigner.certificate(of: store.signer) }

    // MARK: Settings

    /// Whether purchases wait for approval; by default the file's setting, else false (behavior 208).
    open var askToBuyEnabled: Bool {
        get { environment.settings.isAskToBuyEnabled }
        set { set { $0.isAskToBuyEnabled = newValue } }
    }

    /// Whether purchases are interrupted by an issue; by default the file's setting, else false (behavior 209).
    ///
    /// A purchase of Store Kit 1 fails, and one of Store Kit 2 is pending.
    /// ``resolveIssueForTransaction(identifier:)-(UInt)`` completes either.
    open var interruptedPurchasesEnabled: Bool {
        get { environment.settings.areInterruptedPurchasesEnabled }
        set { set { $0.areInterruptedPurchasesEnabled = newValue } }
    }

    /// Whether every purchase fails with ``failureError``; by default the file's setting, else false (behavior 207).
    ///
    /// If the file has only the newer kind of purchase failure, this is true, and purchases fail with `unknown`. To set
    /// the property turns that kind off.
    open var failTransactionsEnabled: Bool {
        get { environment.settings.purchaseFailure != nil }
        set {
            set { settings in
                settings.areTransactionFailuresEnabled = newValue
                // The file's newer kind of purchase failure would fail Store Kit 1's purchases as well.
                for index in settings.forcedErrors.indices where settings.forcedErrors[index].operation == "Purchase" {
                    settings.forcedErrors[index].isEnabled = false
                }
            }
        }
    }

    /// The error of every purchase while ``failTransactionsEnabled`` is true (behavior 207).
    ///
    /// One of `unknown`, `invalidOfferIdentifier`, `invalidSignature`, `missingOfferParams` and `invalidOfferPrice`.
    /// Setting any other changes nothing and logs a message.
    open var failureError: SKError.Code {
        get { environment.settings.transactionFailureCode.flatMap(SKError.Code.init) ?? .unknown }
        set {
            let allowed: [SKError.Code] = [
                .unknown, .invalidOfferIdentifier, .invalidSignature, .missingOfferParams, .invalidOfferPrice,
            ]
            guard allowed.contains(newValue) else {
                context.log("failureError stays \(failureError): transactions cannot be made to fail with \(newValue)")
                return
            }
            set { $0.transactionFailureCode = newValue.rawValue }
        }
    }

    /// Whether renewals fail until their issue is resolved; by default the file's setting, else false (behavior 210).
    open var shouldEnterBillingRetryOnRenewal: Bool {
        get { environment.settings.isBillingRetryOnRenewalEnabled }
        set { set { $0.isBillingRetryOnRenewalEnabled = newValue } }
    }

    /// Whether a grace period precedes billing retry; by default the file's setting, else false (behavior 210).
    ///
    /// In real time it lasts 16 days, and 6 days for a weekly subscription; a faster ``timeRate`` shortens it. Monthly
    /// payments of a commitment have no grace period.
    open var billingGracePeriodIsEnabled: Bool {
        get { environment.settings.isBillingGracePeriodEnabled }
        set { set { $0.isBillingGracePeriodEnabled = newValue } }
    }

    /// Whether dialogs are disabled; by default the file's setting, else false (behavior 206).
    ///
    /// There are no dialogs here, so this setting has no effect.
    open var disableDialogs: Bool {
        get { environment.settings.areDialogsDisabled }
        set { set { $0.areDialogsDisabled = newValue } }
    }

    /// The country that the store sells in, ISO 3166-1 alpha-3; the default is the file's, else `USA` (behavior 205).
    ///
    /// Setting a value that is not a country's code changes nothing and logs a message.
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

    /// The language of the products' texts; the default is the file's, else US English (behavior 205).
    open var locale: Locale {
        get { Locale(identifier: environment.settings.locale) }
        set { set { $0.locale = newValue.identifier } }
    }

    /// The rate at which subscriptions renew; the default is the file's, else real time.
    ///
    /// A period that has begun retains its length.
    open var timeRate: TimeRate {
        get { TimeRate(rawValue: environment.settings.timeRate) ?? .realTime }
        set { set { $0.timeRate = newValue.rawValue } }
    }

    /// Resets the settings to the file's, and removes simulated errors and quirks; purchases remain (behavior 203).
    ///
    /// Purchases that `StoreQuirk.purchaseNeverReturns` has held at the payment sheet are then decided by the file's
    /// settings.
    open func resetToDefaultState() {
        environment.reset(in: context)
    }

    // MARK: Transactions

    /// Returns all transactions, oldest first, including failed, pending and finished ones (behavior 217).
    open func allTransactions() -> [SKTestTransaction] {
        do {
            return try TestHistory(store).testTransactions
        } catch {
            context.log("the test session's transactions could not be read: \(error)")
            return []
        }
    }

    /// Removes all transactions; the settings remain (behavior 203).
    ///
    /// The numbers of transactions restart at 0.
    open func clearTransactions() {
        environment.clear(in: context)
    }

    /// Removes a transaction, with its renewals and restores, as if it had never existed (behavior 218).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``.
    open func deleteTransaction(identifier: UInt) throws {
        try act(on: identifier) { store, transaction in try store.deleteTransaction(transaction.id) }
    }

    /// Buys a product outside the app; the transaction is added to the queue (behavior 211).
    ///
    /// The purchase counts as made elsewhere: Ask to Buy, interruptions and ``failTransactionsEnabled`` do not affect
    /// it.
    ///
    /// - Throws: ``SKTestError/Code/invalidProductIdentifier`` for a product that the configuration does not have, and
    ///   ``SKTestError/Code/invalidAction`` if the store refuses.
    open func buyProduct(productIdentifier: String) throws {
        _ = try product(productIdentifier)
        try act { store in try store.account.buy(productIdentifier) }
    }

    /// Refunds a purchase at once (behavior 212).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, and ``SKTestError/Code/invalidAction`` for a transaction that
    ///   was not paid for, or was refunded already.
    open func refundTransaction(identifier: UInt) throws {
        try act(on: identifier) { store, transaction in try store.refund(transaction.id) }
    }

    /// Approves a transaction that waits for approval, which is then purchased (behavior 208).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, and ``SKTestError/Code/invalidAction`` if it is not deferred.
    open func approveAskToBuyTransaction(identifier: UInt) throws {
        try act(on: identifier) { store, transaction in try store.decide(transaction.id, as: .approve) }
    }

    /// Declines a transaction that waits for approval, which then fails (behavior 208).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, and ``SKTestError/Code/invalidAction`` if it is not deferred.
    open func declineAskToBuyTransaction(identifier: UInt) throws {
        try act(on: identifier) { store, transaction in try store.decide(transaction.id, as: .decline()) }
    }

    /// Resolves the issue that blocks a purchase or a renewal (behaviors 209 and 210).
    ///
    /// An interrupted purchase returns as a new purchased transaction. After the end of billing retry, nothing happens.
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, and ``SKTestError/Code/invalidAction`` for a transaction that
    ///   has no issue and is not a subscription's.
    open func resolveIssueForTransaction(identifier: UInt) throws {
        let history = try TestHistory(store)
        let transaction = try history.transaction(identifier)
        if history.isInterrupted(transaction) {
            try act { store in try store.resolveInterruption(of: transaction.id) }
        } else if let subscription = history.subscription(of: transaction) {
            try act { store in try store.account.resolveBillingIssue(inGroup: subscription.groupIdentifier) }
        } else {
            throw SKTestError(.invalidAction, "the transaction \(identifier) has no issue to resolve")
        }
    }

    // MARK: Subscriptions

    /// Turns on the auto-renewal of a transaction's subscription (behavior 213).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, and ``SKTestError/Code/noSubscriptionFound`` for a
    ///   transaction without a subscription, or with one that is over.
    open func enableAutoRenewForTransaction(identifier: UInt) throws {
        try act(onSubscriptionOf: identifier) { account, group in try account.setAutoRenew(true, inGroup: group) }
    }

    /// Turns off the auto-renewal of a transaction's subscription, which then ends with its period (behavior 213).
    ///
    /// A subscription whose last renewal failed ends at once, and one with a commitment ends with the commitment.
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, and ``SKTestError/Code/noSubscriptionFound`` for a
    ///   transaction without a subscription, or with one that is over.
    open func disableAutoRenewForTransaction(identifier: UInt) throws {
        try act(onSubscriptionOf: identifier) { account, group in try account.setAutoRenew(false, inGroup: group) }
    }

    /// Expires a subscription now, and turns its renewal off (behavior 214).
    ///
    /// - Throws: ``SKTestError/Code/invalidProductIdentifier``, ``SKTestError/Code/invalidProductType`` for a product
    ///   that does not renew, ``SKTestError/Code/noSubscriptionFound`` for one without a subscriber, and
    ///   ``SKTestError/Code/invalidAction`` for a subscription that is a member of a bundle.
    open func expireSubscription(productIdentifier: String) throws {
        let group = try group(of: productIdentifier)
        try act { store in try store.account.expireSubscription(inGroup: group) }
    }

    /// Ends a subscription's period now and begins the next (behavior 215).
    ///
    /// Auto-renewal is turned on, and a pending request for consent to a higher price is withdrawn. If renewals fail,
    /// billing retry or a grace period begins instead of the next period.
    ///
    /// - Throws: ``SKTestError/Code/invalidProductIdentifier``, ``SKTestError/Code/invalidProductType`` for a product
    ///   that does not renew, ``SKTestError/Code/noSubscriptionFound`` for one without a subscriber, and
    ///   ``SKTestError/Code/invalidAction`` for a subscription that is a member of a bundle.
    open func forceRenewalOfSubscription(productIdentifier: String) throws {
        let group = try group(of: productIdentifier)
        try act { store in try store.account.forceRenewal(inGroup: group) }
    }

    /// Requests consent to a higher price of a transaction's subscription (behavior 216).
    ///
    /// The price need not change, and the request may be repeated. Without a decision the subscription ends with its
    /// period.
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, ``SKTestError/Code/noSubscriptionFound``, and
    ///   ``SKTestError/Code/invalidAction`` for a subscription that is a member of a bundle.
    open func requestPriceIncreaseConsentForTransaction(identifier: UInt) throws {
        try act(onSubscriptionOf: identifier) { try $0.requestPriceIncreaseConsent(inGroup: $1) }
    }

    /// Consents to the higher price: the subscription continues (behavior 216).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, ``SKTestError/Code/noSubscriptionFound``, and
    ///   ``SKTestError/Code/invalidAction`` if consent was not requested.
    open func consentToPriceIncreaseForTransaction(identifier: UInt) throws {
        try act(onSubscriptionOf: identifier) { try $0.answerPriceConsent(.agree, inGroup: $1) }
    }

    /// Declines the higher price: the subscription will not renew (behavior 216).
    ///
    /// - Throws: ``SKTestError/Code/noTransactionFound``, ``SKTestError/Code/noSubscriptionFound``, and
    ///   ``SKTestError/Code/invalidAction`` if consent was not requested.
    open func declinePriceIncreaseForTransaction(identifier: UInt) throws {
        try act(onSubscriptionOf: identifier) { try $0.answerPriceConsent(.decline, inGroup: $1) }
    }
}
