import Foundation

/// A complete store for testing purchases: no network, no waiting, deterministic.
///
/// ```swift
/// let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
/// let queue = SKPaymentQueue(backend: store, delivery: .inline)
/// ```
///
/// A store begins with one ``account``, which is signed in on one ``device``. As a backend, the store stands for that
/// device: an app whose queue or ``StoreContext`` has the store as its backend runs on it. Other customers and devices
/// are added with ``addAccount(_:)`` and ``addDevice(_:signedInTo:)``.
///
/// The store is in memory unless it is given a ledger. It has a ``ManualClock`` of its own unless another clock is
/// given: time then stands still until ``advance(by:)-(TimeInterval)`` is called. The periods of subscriptions, grace
/// periods, the pace of downloads and the validity of signed offers are measured by the store's clock. Any number of
/// independent stores can exist in one process. Any thread may call any member.
public final class SandboxStore: Sendable {
    /// The first device, named `device`, on which the store itself sells.
    ///
    /// Its app runs wherever the store is the backend: passing the device or the store to a queue or to a
    /// ``StoreContext`` is the same.
    public let device: SandboxDevice
    var driver: SandboxDriver { device.driver }

    /// The signer of the store's receipts.
    public var signer: any ReceiptSigner { driver.signer }

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - products: the store's products. The ledger stores them: a store that is reopened on the ledger sells them
    ///     too. A product given again replaces the stored version.
    ///   - clock: the store's clock; a ``ManualClock`` of its own unless given, which begins on 1 January 2025, 0:00
    ///     UTC.
    ///   - ledger: the store's storage; in memory unless given. A ledger that is not empty is continued.
    ///   - storefront: the country that the store sells for, ISO 3166-1 alpha-3; by default the ledger's, or `USA`.
    ///   - locale: the language of devices without a language of their own, as in `en_GB`; the process's unless given.
    ///   - authorizer: the authorizer of payments; it approves every payment unless given.
    ///   - renewalRate: the length of subscription periods; by the calendar unless given.
    ///   - isNewsstandApp: whether the app may offer free subscriptions.
    ///   - signer: the signer and verifier of receipts; unless given, one with a new key. Another store, also one that
    ///     is reopened on the ledger, then refuses this store's receipts.
    ///   - bundleIdentifier: the app, as receipts name it.
    ///   - bundleVersion: the app's version, as receipts name it.
    ///   - appAppleIdentifier: the app's Apple ID, the App Store's number for it. Receipts and app transactions name it
    ///     if the signer's environment is production, where Apple's server library requires it; see
    ///     ``AppTransactionPayload/appAppleId``.
    ///   - log: the log for failures of the signer, which leave a receipt missing; standard error unless given.
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
            throw SandboxError(.unknownStorefront(storefront))
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
        let driver = SandboxDriver(
            state: try SandboxDriverState(
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
        device = SandboxDevice(driver, 0)
    }

    /// Opens a store on Xcode's `.storekit` file, with the country, language and renewal rate that it names.
    ///
    /// Interrupted purchases, failing renewals and Ask to Buy, where the file sets them, apply to every account in the
    /// ledger, but not to accounts that are added later. A grace period applies to the store. The ledger stores these
    /// settings, so that a file without them does not turn them off. A failure of every purchase is in
    /// ``purchaseFailure``.
    ///
    /// - Parameters:
    ///   - configuration: the file, read with ``StoreConfiguration/init(contentsOf:)``.
    ///   - clock: the store's clock; a ``ManualClock`` of its own unless given.
    ///   - ledger: the store's storage; in memory unless given. A ledger that is not empty is continued.
    ///   - locale: the language of devices without a language of their own; the file's, unless given.
    ///   - authorizer: the authorizer of payments; unless given, everything is approved, and, if the file sets Ask to
    ///     Buy, every order waits for approval, see ``SandboxAccount/setAsksToBuy(_:)``.
    ///   - renewalRate: the length of subscription periods; as the file says, unless given.
    ///   - isNewsstandApp: whether the app may offer free subscriptions.
    ///   - signer: the signer and verifier of receipts; unless given, one with a new key.
    ///   - bundleIdentifier: the app, as receipts name it.
    ///   - bundleVersion: the app's version, as receipts name it.
    ///   - appAppleIdentifier: the app's Apple ID, in production; unless given, that of a file that is synchronized
    ///     with App Store Connect.
    ///   - log: the log for failures of the signer, which leave a receipt missing; standard error unless given.
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

    /// Opens a store on Xcode's `.storekit` file, as the initializer that takes a ``StoreConfiguration`` does.
    ///
    /// - Parameters:
    ///   - url: the file's location on disk. Reading blocks the calling thread.
    ///   - clock: the store's clock; a ``ManualClock`` of its own unless given.
    ///   - ledger: the store's storage; in memory unless given. A ledger that is not empty is continued.
    /// - Throws: a ``StoreConfigurationError`` if the file cannot be read or is invalid; otherwise as the initializer
    ///   that takes products.
    public convenience init(
        contentsOf url: URL,
        clock: any StoreClock = ManualClock(),
        ledger: (any Ledger)? = nil
    ) throws {
        try self.init(StoreConfiguration(contentsOf: url), clock: clock, ledger: ledger)
    }
}

extension SandboxStore {
    /// Every registered product in its current version, including those off sale, in the order of registration.
    package var registeredProducts: [SandboxProduct] {
        driver.use { driverState, _ in
            try? driverState.refresh()
            return driverState.state.catalog.allProducts
        }
    }
}

extension SandboxStore {
    /// The environment variable that names the `.storekit` file of the process's initial store,
    /// `STOREKIT_CONFIGURATION`.
    ///
    /// For tests whose code requests products before a store is set, such as when Xcode's scheme names the file. The
    /// store uses the real clock. The variable is read once, when ``StoreContext/process`` is first used; a store that
    /// is set there later replaces this one.
    package static let configurationVariable = "STOREKIT_CONFIGURATION"

    /// Returns a store on the file that the environment names.
    ///
    /// Nil if the environment names no file, or if the file cannot be read, which is logged.
    static func namedByEnvironment(log: StoreLog) -> SandboxStore? {
        guard let path = ProcessInfo.processInfo.environment[configurationVariable], !path.isEmpty else { return nil }
        do {
            let configuration = try StoreConfiguration(contentsOf: URL(fileURLWithPath: path))
            return try SandboxStore(configuration, clock: SystemClock())
        } catch {
            log("there is no store: the file that \(configurationVariable) names is refused: \(error)")
            return nil
        }
    }
}

extension SandboxStore {
    /// Changes the country that the store sells for.
    ///
    /// Prices and currency change, and so do texts if a product has none in a device's language; observers are
    /// notified. Each running app decides whether each of its pending purchases continues, see
    /// ``SKPaymentQueueDelegate/paymentQueue(_:shouldContinue:in:)``. If the app declines, or does not answer within a
    /// second of the store's clock, the transaction fails with `storeProductNotAvailable`. Apps that are not running
    /// are not asked; a pending purchase of a product that is not sold in the new country fails with the same code when
    /// it is approved.
    ///
    /// The ledger stores the country.
    ///
    /// - Parameter countryCode: ISO 3166-1 alpha-3, as in `DEU`.
    /// - Throws: ``SandboxError`` for an unknown country, and the ledger's errors.
    public func setStorefront(_ countryCode: String) throws { try driver.changeStorefront(to: countryCode) }
}

extension SandboxStore {
    /// The download pace of devices without a pace of their own; at once by default.
    ///
    /// The ledger does not store it.
    public var downloadPace: DownloadPace {
        get { driver.content.withLock { $0.pace } }
        set { driver.content.withLock { $0.pace = newValue } }
    }
}

// Accounts and devices. A store begins with one account, "account", signed in on one device, "device".
extension SandboxStore {
    /// The first account, named `account` and initially signed in on the first device.
    public var account: SandboxAccount { SandboxAccount(driver: driver, number: 0) }

    /// All accounts, oldest first.
    public var accounts: [SandboxAccount] {
        driver.look { driverState, _ in
            driverState.state.accounts.indices.map { SandboxAccount(driver: driver, number: $0) }
        }
    }

    /// All devices, oldest first.
    public var devices: [SandboxDevice] {
        driver.look { driverState, _ in driverState.state.devices.indices.map { SandboxDevice(driver, $0) } }
    }

    /// Returns the account with a name, or nil if there is none; ``addAccount(_:)`` adds one.
    ///
    /// A store that continues a ledger has the ledger's accounts and devices.
    public func account(named name: String) -> SandboxAccount? {
        driver.look { driverState, _ in
            driverState.state.account(named: name).map { SandboxAccount(driver: driver, number: $0) }
        }
    }

    /// Returns the device with a name, or nil if there is none; ``addDevice(_:signedInTo:)`` adds one.
    public func device(named name: String) -> SandboxDevice? {
        driver.look { driverState, _ in driverState.state.device(named: name).map { SandboxDevice(driver, $0) } }
    }

    /// Adds an account, which is not signed in on any device yet.
    ///
    /// - Parameter name: the account's name; unique and not empty.
    /// - Returns: the account, without purchases.
    /// - Throws: ``SandboxError`` for an empty name or one in use, and the ledger's errors.
    public func addAccount(_ name: String) throws -> SandboxAccount {
        var number: AccountID = 0
        try driver.change { state, events, now in
            guard !name.isEmpty, state.account(named: name) == nil else { throw SandboxError(.nameTaken(name)) }
            number = state.accounts.endIndex
            events.append(LedgerRecord(date: now, event: .accountAdded(name: name)))
        }
        return SandboxAccount(driver: driver, number: number)
    }

    /// Adds a device.
    ///
    /// - Parameters:
    ///   - name: the device's name; unique and not empty.
    ///   - account: the account that is signed in on it, nil for none.
    /// - Returns: the device, the backend of its queues.
    /// - Throws: ``SandboxError`` for an empty name or one in use, and for an account of another store; the ledger's
    ///   errors.
    public func addDevice(_ name: String, signedInTo account: SandboxAccount?) throws -> SandboxDevice {
        if let account, account.driver !== driver { throw SandboxError(.foreignAccount(account.name)) }
        var number: DeviceID = 0
        try driver.change { state, events, now in
            guard !name.isEmpty, state.device(named: name) == nil else { throw SandboxError(.nameTaken(name)) }
            number = state.devices.endIndex
            events.append(LedgerRecord(date: now, event: .deviceAdded(name: name, account: account?.number)))
        }
        return SandboxDevice(driver, number)
    }
}
