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
    let core: SandboxCore

    /// The store's clock.
    public var timekeeper: any Timekeeper { core.timekeeper }
    /// What signs the store's receipts.
    public var signer: any ReceiptSigner { core.signer }

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - products: what it sells. The ledger keeps them: a store opened on it again sells them too, as they are given
    ///     now.
    ///   - timekeeper: its clock; a ``ManualTimekeeper`` of its own unless given.
    ///   - ledger: what it keeps everything in; in memory of its own unless given. A ledger that is not empty is continued.
    ///   - storefront: the country it sells for, ISO 3166-1 alpha-3; the ledger's unless given, `USA` on a new one.
    ///   - locale: the language of its device, as in `en_GB`; the process's unless given.
    ///   - authoriser: who authorises payments.
    ///   - renewalRate: how long subscriptions' periods last; by the calendar unless given.
    ///   - isNewsstandApp: whether the app may offer free subscriptions.
    ///   - signer: signs and verifies receipts, with a key of its own that nobody else has unless given.
    ///   - bundleIdentifier: the app, as receipts name it.
    ///   - bundleVersion: the app's version, as receipts name it.
    /// - Throws: ``CatalogueError`` for products that cannot be sold, ``SandboxError`` for a country that nobody knows,
    ///   and what the ledger throws.
    public init(
        products: [SandboxProduct] = [],
        timekeeper: any Timekeeper = ManualTimekeeper(),
        ledger: (any Ledger)? = nil,
        storefront: String? = nil,
        locale: String? = nil,
        authoriser: Authoriser = .approving,
        renewalRate: RenewalRate = .realTime,
        isNewsstandApp: Bool = false,
        signer: any ReceiptSigner = HMACReceiptSigner(),
        bundleIdentifier: String = "com.example.app",
        bundleVersion: String = "1.0"
    ) throws {
        if let storefront, Storefronts.storefront(storefront) == nil {
            throw SandboxError.unknownStorefront(storefront)
        }
        let settings = SandboxShell.Settings(
            authoriser: authoriser,
            locale: locale ?? Locale.current.identifier,
            rules: SandboxRules(
                renewalRate: renewalRate,
                isNewsstandApp: isNewsstandApp,
                offers: OfferRules(bundleIdentifier: bundleIdentifier, signers: [HMACOfferSigner()])
            )
        )
        core = SandboxCore(
            shell: try SandboxShell(
                products: products,
                ledger: ledger,
                settings: settings,
                countryCode: storefront,
                now: timekeeper.now
            ),
            timekeeper: timekeeper,
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
    ///   - timekeeper: its clock; a ``ManualTimekeeper`` of its own unless given.
    ///   - ledger: what it keeps everything in; in memory of its own unless given.
    ///   - locale: the language of its device; the file's, unless given.
    ///   - authoriser: who authorises payments; unless given, everything is approved, and, if the file says Ask to Buy,
    ///     somebody else is to be asked about everything, see ``SandboxAccount/setAsksToBuy(_:)``.
    ///   - renewalRate: how long subscriptions' periods last; as the file says, unless given.
    ///   - isNewsstandApp: whether the app may offer free subscriptions.
    ///   - signer: signs and verifies receipts, with a key of its own that nobody else has unless given.
    ///   - bundleIdentifier: the app, as receipts name it.
    ///   - bundleVersion: the app's version, as receipts name it.
    /// - Throws: as the initializer that takes products.
    public convenience init(
        _ configuration: StoreConfiguration,
        timekeeper: any Timekeeper = ManualTimekeeper(),
        ledger: (any Ledger)? = nil,
        locale: String? = nil,
        authoriser: Authoriser? = nil,
        renewalRate: RenewalRate? = nil,
        isNewsstandApp: Bool = false,
        signer: any ReceiptSigner = HMACReceiptSigner(),
        bundleIdentifier: String = "com.example.app",
        bundleVersion: String = "1.0"
    ) throws {
        try self.init(
            products: configuration.products,
            timekeeper: timekeeper,
            ledger: ledger,
            storefront: configuration.settings.storefront,
            locale: locale ?? configuration.settings.locale,
            authoriser: authoriser ?? .approving,
            renewalRate: renewalRate ?? configuration.settings.renewalRate,
            isNewsstandApp: isNewsstandApp,
            signer: signer,
            bundleIdentifier: bundleIdentifier,
            bundleVersion: bundleVersion
        )
        if authoriser == nil, configuration.settings.isAskToBuyEnabled {
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

/// Why a sandbox store cannot do what it was asked.
public enum SandboxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No country has this ISO 3166-1 alpha-3 code.
    case unknownStorefront(String)
    /// No product is registered under this identifier.
    case unknownProduct(String)
    /// No undecided transaction has this identifier.
    case notUndecided(String)
    /// No interrupted purchase has this transaction's identifier.
    case noIssue(String)
    /// The store's page on the device does not show this product.
    case notPromoted(String)
    /// The link does not begin a purchase from this app.
    case notPurchaseIntent(String)
    /// The name is empty, or another account, device or family has it.
    case nameTaken(String)
    /// The account belongs to another store.
    case foreignAccount(String)
    /// The account has no running subscription in this group.
    case notSubscribed(group: String)
    /// The account has not been asked to agree to a higher price in this group, or has answered.
    case noPriceConsentPending(group: String)
    /// Nothing was ever called a transaction by this name, or it was deleted.
    case unknownTransaction(String)
    /// Nobody paid for this transaction.
    case notSold(String)
    /// The transaction was paid back before.
    case alreadyRefunded(String)
    /// The account is in a family already.
    case inFamily(String)
    /// The account is not in the family.
    case notInFamily(String)
    /// The family's organiser has left it, and with them everybody else.
    case familyEnded(String)

    /// One sentence.
    public var description: String {
        switch self {
        case .unknownStorefront(let code): "no country has the code \"\(code)\"; it is ISO 3166-1 alpha-3, as in USA"
        case .unknownProduct(let identifier): "no product \"\(identifier)\" is registered in this store"
        case .notUndecided(let identifier): "no transaction \"\(identifier)\" waits for a decision"
        case .noIssue(let identifier): "no transaction \"\(identifier)\" was interrupted and waits to be resolved"
        case .notPromoted(let identifier): "the store's page on this device does not show \"\(identifier)\""
        case .notPurchaseIntent(let reason): "the link begins no purchase from this app: \(reason)"
        case .nameTaken(let name) where name.isEmpty: "accounts, devices and families need a name that is not empty"
        case .nameTaken(let name):
            "the name \"\(name)\" is taken; accounts, devices and families are known by their names"
        case .foreignAccount(let name): "the account \"\(name)\" belongs to another store"
        case .unknownTransaction(let identifier): "no transaction \"\(identifier)\" is known to this store"
        case .notSold(let identifier): "nobody paid for a transaction \"\(identifier)\" in this store"
        case .alreadyRefunded(let identifier): "the transaction \"\(identifier)\" has been paid back already"
        case .inFamily(let name): "the account \"\(name)\" is in a family already; it can be in one"
        case .notInFamily(let name): "the account \"\(name)\" is not in this family"
        case .familyEnded(let name): "the family \"\(name)\" ended when its organiser left"
        case .notSubscribed(let group): "no subscription runs in the group \"\(group)\""
        case .noPriceConsentPending(let group): "no question about a higher price waits in the group \"\(group)\""
        }
    }
}
