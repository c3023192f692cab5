import Foundation

/// The purchase of the app itself: the app's version, the date and the platform.
///
/// Set it to test an app that was sold once and is free today, and that gives its early customers what they paid for:
/// for all accounts with ``SandboxStore/setAppPurchase(_:)``, and for one with ``SandboxAccount/setAppPurchase(_:)``.
/// App transactions and app receipts state it.
public struct AppPurchase: Hashable, Codable, Sendable {
    /// A platform, by its name in payloads.
    public enum Platform: String, Hashable, CaseIterable, Codable, Sendable {
        /// iPhone and iPad.
        case iOS
        /// Mac.
        case macOS
        /// Apple TV.
        case tvOS
        /// Apple Vision.
        case visionOS
        /// Any platform, for an app that an organization has assigned.
        case managed
    }

    /// The version of the app that was bought: on macOS the version, elsewhere the build number; nil for the default.
    public var version: String?
    /// The date of the purchase; nil for the default.
    ///
    /// Receipts state it to the second.
    public var date: Date?
    /// The platform of the purchase; nil for the default.
    ///
    /// Only app transactions state it.
    public var platform: Platform?

    /// Creates a purchase.
    ///
    /// The defaults for an account are what is set for the store. Those for the store are version `1.0`,
    /// ``AppTransactionPayload/testPurchaseDate`` and no platform.
    public init(version: String? = nil, date: Date? = nil, platform: Platform? = nil) {
        self.version = version
        self.date = date
        self.platform = platform
    }

    /// The version that payloads state.
    var statedVersion: String { version ?? AppTransactionPayload.testVersion }

    /// The date that payloads state.
    var statedDate: Date { date ?? AppTransactionPayload.testPurchaseDate }

    /// The properties that are not the default, in a few words; nil if there are none.
    package var words: String? {
        let words = [version.map { "version \($0)" }, date?.formatted(.iso8601), platform?.rawValue].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// Throws an error if a payload or a receipt cannot state the purchase.
    fileprivate func check() throws {
        if version?.isEmpty == true {
            throw SandboxError.invalidAppPurchase("the version of the app is empty")
        }
        if let date, (try? ReceiptDate(date)) == nil {
            throw SandboxError.invalidAppPurchase("its date lies outside of the years 1 to 9999")
        }
    }
}

/// The purchases of the app that were set.
struct AppPurchases: Hashable, Codable, Sendable {
    private var ofStore = AppPurchase()
    private var ofAccounts: [AccountID: AppPurchase] = [:]

    /// What was set for an account, or for the whole store.
    subscript(account: AccountID?) -> AppPurchase {
        get { account.map { ofAccounts[$0] ?? AppPurchase() } ?? ofStore }
        set {
            guard let account else {
                ofStore = newValue
                return
            }
            ofAccounts[account] = newValue == AppPurchase() ? nil : newValue
        }
    }

    /// Returns what the payloads for an account state, or those for nobody.
    func stated(for account: AccountID?) -> AppPurchase {
        let own = self[account]
        return AppPurchase(
            version: own.version ?? ofStore.version,
            date: own.date ?? ofStore.date,
            platform: own.platform ?? ofStore.platform
        )
    }
}

extension SandboxStore {
    /// What is set for the purchase of the app by all accounts; nothing on a new ledger.
    public var appPurchase: AppPurchase {
        driver.look { driverState, _ in driverState.state.operatorState.appPurchases[nil] }
    }

    /// Sets the purchase of the app by all accounts, except what is set for an account of its own.
    ///
    /// App transactions and app receipts state it from now on, also while nobody is signed in. The ledger stores the
    /// setting.
    ///
    /// - Throws: ``SandboxError/invalidAppPurchase(_:)``, and the ledger's errors.
    public func setAppPurchase(_ purchase: AppPurchase) throws { try driver.set(purchase, of: nil) }
}

extension SandboxAccount {
    /// What is set for the account's purchase of the app; nothing at first, so the store's applies.
    public var appPurchase: AppPurchase {
        driver.look { driverState, _ in driverState.state.operatorState.appPurchases[number] }
    }

    /// Sets the account's purchase of the app.
    ///
    /// A property that is nil is that of ``SandboxStore/appPurchase``. App transactions and app receipts of the account
    /// state it from now on. The ledger stores the setting.
    ///
    /// - Throws: ``SandboxError/invalidAppPurchase(_:)``, and the ledger's errors.
    public func setAppPurchase(_ purchase: AppPurchase) throws { try driver.set(purchase, of: number) }
}

extension SandboxDriver {
    /// Sets the purchase of the app by an account, or by all.
    fileprivate func set(_ purchase: AppPurchase, of account: AccountID?) throws {
        try purchase.check()
        try change { state, events, now in
            guard state.operatorState.appPurchases[account] != purchase else { return }
            events.append(LedgerRecord(date: now, event: .operator(.appPurchase(account: account, purchase))))
        }
    }
}
