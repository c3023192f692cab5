import Foundation

/// A complete store in memory to test purchases against: no network, no waiting, deterministic.
///
/// ```swift
/// let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
/// let queue = SKPaymentQueue(backend: store, delivery: .inline)
/// ```
///
/// A test owns its stores: any number of them live in one process without touching each other. A store has a clock of
/// its own that stands still until it is moved, unless it is given another. Any thread may call any member.
public final class SandboxStore: Sendable {
    /// The first device.
    public let device: SandboxDevice
    var core: SandboxDriver { device.core }

    /// The signer of the store's receipts.
    public var signer: any ReceiptSigner { core.signer }

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - products: its products. The ledger keeps them: a store reopened on it sells them too, in the version given
    ///     now.
    ///   - clock: its clock; a ``ManualClock`` of its own unless given.
    ///   - ledger: its storage; in memory of its own unless given. A ledger that is not empty is continued.
    ///   - storefront: the country it sells for, ISO 3166-1 alpha-3; the ledger's unless given, `USA` on a new one.
    ///   - locale: the language of its device, as in `en_GB`; the process's unless given.
    ///   - authorizer: the authorizer of payments.
    ///   - renewalRate: the length of subscription periods; by the calendar unless given.
    ///   - isNewsstandApp: whether the app may offer free subscriptions.
    ///   - signer: the signer and verifier of receipts; unless given, one with a key that nobody else has.
    ///   - bundleIdentifier: the app, as receipts name it.
    ///   - bundleVersion: the app's version, as receipts name it.
    ///   - appAppleIdentifier: the app's Apple ID, the App Store's number for it. Receipts and app transactions name it
    ///     if the signer's environment is production, where Apple's server library requires it; see
    ///     ``AppTransactionPayload/appAppleId``.
    ///   - log: the log of a signer that fails, whose receipt a reader finds missing; standard error unless given.
    /// - Throws: ``CatalogError`` for products that cannot be sold, ``SandboxError`` for an unknown country, and the
    ///   ledger's errors.
    public init(
        products: [SandboxProduct] = [],
        clock: any StoreClock = ManualClock(),
        ledger: (any Ledger)? = nil,
        storefront: String? = nil,
        locale: String? = nil,
        authorizer: Authorizer = .approving,
        renewalRate: RenewalRate = .realTime,
        isNewsstandApp: Bool = false,
        signer: any ReceiptSigner = HMACReceiptSigner(),
        bundleIdentifier: String = "com.example.app",
        bundleVersion: String = "1.0",
        appAppleIdentifier: Int64? = nil,
        log: StoreLog = .standardError
    ) throws {
        if let storefront, Storefronts.storefront(storefront) == nil {
            throw SandboxError.unknownStorefront(storefront)
        }
        let settings = SandboxDriverState.Settings(
            authorizer: authorizer,
            locale: locale ?? Locale.current.identifier,
            rules: SandboxRules(
                renewalRate: renewalRate,
                isNewsstandApp: isNewsstandApp,
                offers: OfferSigning(bundleIdentifier: bundleIdentifier, signers: [HMACOfferSigner()])
            )
        )
        let core = SandboxDriver(
            shell: try SandboxDriverState(
                products: products,
                ledger: ledger,
                settings: settings,
                countryCode: storefront,
                now: clock.now
            ),
            clock: clock,
            signer: signer,
            bundleIdentifier: bundleIdentifier,
            bundleVersion: bundleVersion,
            appAppleIdentifier: appAppleIdentifier,
            log: log
        )
        device = SandboxDevice(core, 0)
    }

    /// Opens a store on Xcode's `.storekit` file, with the country, language and renewal rate that it names.
    ///
    /// Interrupted purchases and failing renewals, where the file sets them, apply to every account in the ledger. A
    /// grace period applies to the store; a failure of every purchase is in ``purchaseFailure``.
    ///
    /// - Parameters:
    ///   - configuration: the file, read with ``StoreConfiguration/init(contentsOf:)``.
    ///   - clock: its clock; a ``ManualClock`` of its own unless given.
    ///   - ledger: its storage; in memory of its own unless given. A ledger that is not empty is continued.
    ///   - locale: the language of its device; the file's, unless given.
    ///   - authorizer: the authorizer of payments; unless given, everything is approved, and, if the file sets Ask to
    ///     Buy, somebody else is to be asked about everything, see ``SandboxAccount/setAsksToBuy(_:)``.
    ///   - renewalRate: the length of subscription periods; as the file says, unless given.
    ///   - isNewsstandApp: whether the app may offer free subscriptions.
    ///   - signer: the signer and verifier of receipts; unless given, one with a key that nobody else has.
    ///   - bundleIdentifier: the app, as receipts name it.
    ///   - bundleVersion: the app's version, as receipts name it.
    ///   - appAppleIdentifier: the app's Apple ID, in production; that of a synchronized file, unless given, see
    ///     ``StoreConfiguration/Settings/applicationInternalIdentifier``.
    ///   - log: the log of a signer that fails; standard error unless given.
    /// - Throws: as the initializer that takes products.
    public convenience init(
        _ configuration: StoreConfiguration,
        clock: any StoreClock = ManualClock(),
        ledger: (any Ledger)? = nil,
        locale: String? = nil,
        authorizer: Authorizer? = nil,
        renewalRate: RenewalRate? = nil,
        isNewsstandApp: Bool = false,
        signer: any ReceiptSigner = HMACReceiptSigner(),
        bundleIdentifier: String = "com.example.app",
        bundleVersion: String = "1.0",
        appAppleIdentifier: Int64? = nil,
        log: StoreLog = .standardError
    ) throws {
        try self.init(
            products: configuration.products,
            clock: clock,
            ledger: ledger,
            storefront: configuration.settings.storefront,
            locale: locale ?? configuration.settings.locale,
            authorizer: authorizer ?? .approving,
            renewalRate: renewalRate ?? configuration.settings.renewalRate,
            isNewsstandApp: isNewsstandApp,
            signer: signer,
            bundleIdentifier: bundleIdentifier,
            bundleVersion: bundleVersion,
            appAppleIdentifier: appAppleIdentifier
                ?? configuration.settings.applicationInternalIdentifier.flatMap { Int64($0) },
            log: log
        )
        if authorizer == nil, configuration.settings.isAskToBuyEnabled {
            for account in accounts { try account.setAsksToBuy(true) }
        }
        if configuration.settings.areInterruptedPurchasesEnabled {
            for account in accounts { try account.setInterruptsPurchases(true) }
        }
        if configuration.settings.isBillingRetryOnRenewalEnabled {
            for account in accounts { try account.setBillingFails(true) }
        }
        if configuration.settings.isBillingGracePeriodEnabled { try setGrantsGracePeriod(true) }
        purchaseFailure = configuration.settings.purchaseFailure
    }
}
