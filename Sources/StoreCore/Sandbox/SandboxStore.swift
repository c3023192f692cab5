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
    /// The store's clock.
    public let timekeeper: any Timekeeper
    /// What signs the store's receipts.
    public let signer: any ReceiptSigner
    let bundleIdentifier: String
    let bundleVersion: String
    let shell: Locked<SandboxShell>
    let activity: Activity
    private let port: SandboxPort

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - products: what it sells. The ledger keeps them: a store opened on it again sells them too, as they are given
    ///     now.
    ///   - timekeeper: its clock; a ``ManualTimekeeper`` of its own unless given.
    ///   - ledger: what it keeps everything in; in memory unless given. A ledger that is not empty is continued.
    ///   - storefront: the country it sells for, ISO 3166-1 alpha-3.
    ///   - locale: the language of its device, as in `en_GB`; the process's unless given.
    ///   - authoriser: who authorises payments.
    ///   - signer: signs and verifies receipts, with a key of its own that nobody else has unless given.
    ///   - bundleIdentifier: the app, as receipts name it.
    ///   - bundleVersion: the app's version, as receipts name it.
    /// - Throws: ``CatalogueError`` for products that cannot be sold, ``SandboxError`` for a country that nobody knows,
    ///   and what the ledger throws.
    public init(
        products: [SandboxProduct] = [],
        timekeeper: any Timekeeper = ManualTimekeeper(),
        ledger: any Ledger = MemoryLedger(),
        storefront: String = "USA",
        locale: String? = nil,
        authoriser: Authoriser = .approving,
        signer: any ReceiptSigner = HMACReceiptSigner(),
        bundleIdentifier: String = "com.example.app",
        bundleVersion: String = "1.0"
    ) throws {
        guard let country = Storefronts.storefront(storefront) else { throw SandboxError.unknownStorefront(storefront) }
        self.timekeeper = timekeeper
        self.signer = signer
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        let settings = SandboxShell.Settings(
            authoriser: authoriser,
            locale: locale ?? Locale.current.identifier,
            storefront: country
        )
        shell = Locked(
            try SandboxShell(products: products, ledger: ledger, settings: settings, now: timekeeper.now)
        )
        activity = timekeeper.activity
        port = SandboxPort(shell)
        activity.register(port)
        // What an earlier store on this ledger took in and did not live to ask about.
        for number in shell.withLock({ $0.state.unasked }) { ask(about: number) }
    }

    /// Opens a store on Xcode's `.storekit` file.
    ///
    /// - Parameters:
    ///   - configuration: the file, read with ``StoreConfiguration/init(contentsOf:)``.
    ///   - timekeeper: its clock; a ``ManualTimekeeper`` of its own unless given.
    ///   - ledger: what it keeps everything in; in memory unless given.
    ///   - locale: the language of its device; the file's, unless given.
    ///   - authoriser: who authorises payments; unless given, everything is approved, or, if the file says Ask to Buy,
    ///     somebody else is to be asked about everything.
    ///   - signer: signs and verifies receipts, with a key of its own that nobody else has unless given.
    ///   - bundleIdentifier: the app, as receipts name it.
    ///   - bundleVersion: the app's version, as receipts name it.
    /// - Throws: as the initializer that takes products.
    public convenience init(
        _ configuration: StoreConfiguration,
        timekeeper: any Timekeeper = ManualTimekeeper(),
        ledger: any Ledger = MemoryLedger(),
        locale: String? = nil,
        authoriser: Authoriser? = nil,
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
            authoriser: authoriser
                ?? (configuration.settings.isAskToBuyEnabled ? .always(.askSomebodyElse) : .approving),
            signer: signer,
            bundleIdentifier: bundleIdentifier,
            bundleVersion: bundleVersion
        )
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

    /// One sentence.
    public var description: String {
        switch self {
        case .unknownStorefront(let code): "no country has the code \"\(code)\"; it is ISO 3166-1 alpha-3, as in USA"
        case .unknownProduct(let identifier): "no product \"\(identifier)\" is registered in this store"
        case .notUndecided(let identifier): "no transaction \"\(identifier)\" waits for a decision"
        }
    }
}

// MARK: - What its owner may do

extension SandboxStore {
    /// Who authorises payments from now on.
    public var authoriser: Authoriser {
        get { shell.withLock { $0.settings.authoriser } }
        set { shell.withLock { $0.settings.authoriser = newValue } }
    }

    /// The language of its device, as in `en_GB`: products are described in it where they have it.
    public var locale: String {
        get { shell.withLock { $0.settings.locale } }
        set { shell.withLock { $0.settings.locale = newValue } }
    }

    /// Whether the store can be reached.
    ///
    /// While it cannot, queues keep what they have to say and requests fail with a `URLError`.
    public var isReachable: Bool {
        get { shell.withLock { $0.settings.isReachable } }
        set {
            shell.withLock { $0.settings.isReachable = newValue }
            reachabilityChanged()
        }
    }

    /// Lets the user of the device pay, or not.
    ///
    /// What is bought while not is refused with `paymentNotAllowed`.
    ///
    /// - Throws: what the ledger throws.
    public func setPaymentsAllowed(_ isAllowed: Bool) throws {
        try change { _, events, now in
            events.append(LedgerRecord(date: now, event: .paymentsAllowed(device: 0, isAllowed)))
        }
    }

    /// Registers a product, or another version of one that is registered already.
    ///
    /// - Throws: ``CatalogueError`` for one that cannot be sold, and what the ledger throws.
    public func register(_ product: SandboxProduct) throws {
        _ = try Catalogue([product])
        try change { _, events, now in events.append(LedgerRecord(date: now, event: .registered(product))) }
    }

    /// Puts a product on or off sale.
    ///
    /// - Throws: ``SandboxError/unknownProduct(_:)``, and what the ledger throws.
    public func setAvailability(_ availability: ProductAvailability, of productIdentifier: String) throws {
        try change { sandbox, events, now in
            guard sandbox.catalogue.index(of: productIdentifier) != nil else {
                throw SandboxError.unknownProduct(productIdentifier)
            }
            let event = StoreEvent.availability(productIdentifier: productIdentifier, availability)
            events.append(LedgerRecord(date: now, event: event))
        }
    }

    /// Why an identifier cannot be bought now, in one sentence; nil if it can.
    public func reasonForInvalidity(of productIdentifier: String) -> String? {
        use { shell, now in
            try? shell.refresh()
            return shell.state.catalogue.refusal(of: productIdentifier, at: now)
        }
    }

    /// What waits for a decision, oldest first.
    public var undecided: [AuthorisationRequest] {
        use { shell, _ in
            try? shell.refresh()
            return shell.questions
        }
    }

    /// Decides about a transaction that waits.
    ///
    /// - Throws: ``SandboxError/notUndecided(_:)``, and what the ledger throws.
    public func decide(_ transaction: String, _ answer: Authorisation) throws {
        try change { sandbox, events, now in
            guard let number = SandboxState.number(of: transaction), sandbox.question(about: number) != nil else {
                throw SandboxError.notUndecided(transaction)
            }
            sandbox.decide(number, answer, isFirstAnswer: false, now: now, &events)
        }
    }

    /// Moves the store's clock on, if it is one that can be moved; any other stops the process with a sentence.
    ///
    /// What falls due happens in its order, and everything settles at each deadline on the way. Must not be called from
    /// inside a callback.
    ///
    /// - Parameter interval: seconds, not negative.
    public func advance(by interval: TimeInterval) {
        guard let clock = timekeeper as? ManualTimekeeper else {
            fatalError("this store's clock cannot be moved; give it a ManualTimekeeper")
        }
        clock.advance(by: interval)
    }

    /// Waits until nothing can happen any more without an outside act, see ``Activity``.
    @discardableResult
    public func settle() -> [String] { timekeeper.activity.settle() }

    /// Waits, without holding up a thread, until nothing can happen any more without an outside act.
    @discardableResult
    public func settle() async -> [String] { await timekeeper.activity.settle() }
}
