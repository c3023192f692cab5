import Foundation

/// A whole store in memory, to test purchases against: no network, no waiting, the same every time.
///
/// ```swift
/// let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
/// let queue = SKPaymentQueue(backend: store, delivery: .inline)
/// ```
///
/// A store is a value that a test owns: any number of them live in one process without touching each other. It has a
/// clock of its own that stands still until it is moved, unless it is given another. Any thread may call anything.
public final class SandboxStore: Sendable {
    let core: SandboxDriver

    /// The store's clock.
    public var clock: any StoreClock { core.clock }
    /// What signs the store's receipts.
    public var signer: any ReceiptSigner { core.signer }

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - products: what it sells. The ledger keeps them: a store opened on it again sells them too, as they are given
    ///     now.
    ///   - clock: its clock; a ``ManualClock`` of its own unless given.
    ///   - ledger: what it keeps everything in; in memory of its own unless given. A ledger that is not empty is continued.
    ///   - storefront: the country it sells for, ISO 3166-1 alpha-3; the ledger's unless given, `USA` on a new one.
    ///   - locale: the language of its device, as in `en_GB`; the process's unless given.
    ///   - authorizer: who authorizes payments.
    ///   - renewalRate: how long subscriptions' periods last; by the calendar unless given.
    ///   - isNewsstandApp: whether the app may offer free subscriptions.
    ///   - signer: signs and verifies receipts, with a key of its own that nobody else has unless given.
    ///   - bundleIdentifier: the app, as receipts name it.
    ///   - bundleVersion: the app's version, as receipts name it.
    /// - Throws: ``CatalogError`` for products that cannot be sold, ``SandboxError`` for a country that nobody knows,
    ///   and what the ledger throws.
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
        bundleVersion: String = "1.0"
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
        core = SandboxDriver(
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
            bundleVersion: bundleVersion
        )
    }

    /// Opens a store on Xcode's `.storekit` file, with the country, the language and the rate of renewals that it names.
    ///
    /// Where the file says that purchases are interrupted, or that renewals cannot be paid for, that holds for every
    /// account that the ledger has. A grace period is granted by the store; that every purchase fails is in
    /// ``purchaseFailure``.
    ///
    /// - Parameters:
    ///   - configuration: the file, read with ``StoreConfiguration/init(contentsOf:)``.
    ///   - clock: its clock; a ``ManualClock`` of its own unless given.
    ///   - ledger: what it keeps everything in; in memory of its own unless given.
    ///   - locale: the language of its device; the file's, unless given.
    ///   - authorizer: who authorizes payments; unless given, everything is approved, and, if the file says Ask to Buy,
    ///     somebody else is to be asked about everything, see ``SandboxAccount/setAsksToBuy(_:)``.
    ///   - renewalRate: how long subscriptions' periods last; as the file says, unless given.
    ///   - isNewsstandApp: whether the app may offer free subscriptions.
    ///   - signer: signs and verifies receipts, with a key of its own that nobody else has unless given.
    ///   - bundleIdentifier: the app, as receipts name it.
    ///   - bundleVersion: the app's version, as receipts name it.
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
        bundleVersion: String = "1.0"
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
            bundleVersion: bundleVersion
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
