import Foundation

/// A device on which an account buys from a sandbox store: a backend of its own.
///
/// A device stands for the app as it is installed on one phone, tablet or computer. Pass it as the backend of a queue,
/// or of a ``StoreContext`` for code that uses `SKPaymentQueue.default()` or Store Kit 2. A ``SandboxStore`` that is
/// passed in its place stands for its first device.
///
/// ```swift
/// let alice = try store.addAccount("alice")
/// let tablet = try store.addDevice("tablet", signedInTo: alice)
/// let queue = SKPaymentQueue(backend: tablet)
/// ```
///
/// A queue on the device receives the transactions that the signed-in account orders on the device. It also receives
/// transactions without an order, such as renewals, until one of the account's devices has finished them. A restore
/// delivers purchases from other devices. The object is a handle, which retains the store's state. Any thread may call
/// any member.
public final class SandboxDevice: Sendable {
    let driver: SandboxDriver
    let number: DeviceID

    init(_ driver: SandboxDriver, _ number: DeviceID) {
        self.driver = driver
        self.number = number
    }

    /// The device's name, unique in its store.
    public var name: String { driver.state.withLock { $0.state.devices[number].name } }

    /// The account that is signed in, nil for none.
    public var account: SandboxAccount? {
        driver.look { driverState, _ in
            driverState.state.devices[number].account.map { SandboxAccount(driver: driver, number: $0) }
        }
    }

    /// Signs an account in, in place of the current one.
    ///
    /// The unfinished transactions of the previous account leave the device's queues, and return when that account
    /// signs in again. An order is paid for by the account that is signed in when the order reaches the store.
    ///
    /// - Throws: ``SandboxError`` for an account of another store, and the ledger's errors.
    public func signIn(to account: SandboxAccount) throws {
        guard account.driver === driver else { throw SandboxError(.foreignAccount(account.name)) }
        try signIn(account.number)
    }

    /// Signs the account out.
    ///
    /// Until an account signs in, purchases and restores are refused with `clientInvalid`.
    ///
    /// - Throws: the ledger's errors.
    public func signOut() throws { try signIn(nil) }

    private func signIn(_ account: AccountID?) throws {
        try driver.change { state, events, now in
            guard state.devices[number].account != account else { return }
            events.append(LedgerRecord(date: now, event: .signedIn(device: number, account: account)))
        }
    }

    /// Whether this device can reach the store; other devices are not affected.
    ///
    /// True by default. While false, the device's queues hold their commands, and its requests and downloads fail with
    /// a `URLError`. The ledger does not store it. A device also cannot reach a store that is not
    /// ``SandboxStore/isReachable``.
    public var isReachable: Bool {
        get { driver.state.withLock { !$0.settings.offline.contains(number) } }
        set {
            driver.use { driverState, _ in
                if newValue {
                    driverState.settings.offline.remove(number)
                } else if driverState.settings.offline.insert(number).inserted {
                    driverState.breakConnections(of: number, SandboxDriver.unreachable)
                }
            }
            if !newValue { driver.cutContent(of: number) }
        }
    }

    /// The vendor's identifier for the device, whose 16 bytes enter an app receipt's ``AppReceipt/deviceHash``.
    ///
    /// The identifier is derived from the names of the device and the app, so that a test can predict it.
    public var identifierForVendor: UUID { driver.identifierForVendor(of: name) }

    /// The device's language, as in `en_GB`; the store's unless set.
    ///
    /// The ledger does not store it.
    public var locale: String {
        get { driver.state.withLock { $0.settings.locales[number] ?? $0.settings.locale } }
        set { driver.state.withLock { $0.settings.locales[number] = newValue } }
    }
}

extension SandboxDevice {
    /// The download pace of this device; the store's unless set.
    ///
    /// A pending chunk keeps the pace that applied when it was requested. The ledger does not store the pace.
    public var downloadPace: DownloadPace {
        get { driver.content.withLock { $0.pace(of: number) } }
        set { driver.content.withLock { $0.paces[number] = newValue } }
    }
}

// The store's own page on a device, where a user begins a purchase outside the app (behaviors 173 to 175).
extension SandboxDevice {
    /// The products on the store's page on this device, in order.
    ///
    /// These are all products on sale, in the order of registration, with the app's changes by
    /// ``SKProductStorePromotionController``.
    public var promotedProducts: [String] {
        driver.look { driverState, now in driverState.state.promotedProducts(on: number, at: now) }
    }

    /// The app's changes to how the store promotes products on this device, and the position in the ledger of the
    /// latest change; nil if there are none.
    package var datedPromotionOverrides: (overrides: PromotionOverrides, position: Int?) {
        driver.promotionOverrides(on: number)
    }

    /// Begins a purchase on the store's own page, as the device's user.
    ///
    /// The app's observers decide, at once or at the app's next launch, whether the purchase continues: see
    /// ``SKPaymentTransactionObserver/paymentQueue(_:shouldAddStorePayment:for:)``. Nothing is charged before an
    /// observer accepts the purchase, or the app adds its payment later.
    ///
    /// - Parameter productIdentifier: one of the ``promotedProducts``.
    /// - Throws: ``SandboxError`` for any other product, and the ledger's errors.
    public func promote(_ productIdentifier: String) throws {
        try driver.change { state, events, now in
            guard state.promotedProducts(on: number, at: now).contains(where: productIdentifier.isExactly) else {
                throw SandboxError(.notPromoted(productIdentifier))
            }
            events.append(LedgerRecord(date: now, event: .operator(.promoted(device: number, productIdentifier))))
        }
    }

    /// Begins a purchase from a link, whether or not the product is hidden on the store's page.
    ///
    /// ```swift
    /// let link = "itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=full.game"
    /// try store.device.openPurchaseIntent(url: URL(string: link)!)
    /// ```
    ///
    /// - Parameter url: a URL with the scheme `itms-services`, the action `purchaseIntent`, the app's bundle identifier
    ///   and a product on sale.
    /// - Throws: ``SandboxError`` with the reason for any other URL, and the ledger's errors.
    public func openPurchaseIntent(url: URL) throws {
        let product = try PurchaseIntent(url, bundleIdentifier: driver.bundleIdentifier).productIdentifier
        try driver.change { state, events, now in
            if let reason = state.catalog.reasonNotOnSale(product, at: now) {
                throw SandboxError(.notPurchaseIntent(reason))
            }
            events.append(LedgerRecord(date: now, event: .operator(.promoted(device: number, product))))
        }
    }
}

/// The content of a link that begins a purchase.
private struct PurchaseIntent {
    let productIdentifier: String

    init(_ url: URL, bundleIdentifier: String) throws(SandboxError) {
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        let items = parts?.queryItems ?? []
        func value(_ names: String...) -> String? { items.first { names.contains($0.name) }?.value }
        guard parts?.scheme?.lowercased() == "itms-services" else {
            let scheme = parts?.scheme ?? "missing"
            throw SandboxError(.notPurchaseIntent("its scheme has to be itms-services, and is \(scheme)"))
        }
        guard value("action") == "purchaseIntent" else {
            let action = value("action") ?? "missing"
            throw SandboxError(.notPurchaseIntent("its action has to be purchaseIntent, and is \(action)"))
        }
        guard value("bundleId", "bundleIdentifier") == bundleIdentifier else {
            throw SandboxError(.notPurchaseIntent("its bundleId is not \(bundleIdentifier)"))
        }
        guard let product = value("productIdentifier", "productId") else {
            throw SandboxError(.notPurchaseIntent("it names no product as its productIdentifier"))
        }
        productIdentifier = product
    }
}

// Tokens that authenticate the device at the store's server, for queues in another process or on another machine.
extension SandboxDevice {
    /// Creates a token, with which a queue in another process or on another machine buys on this device.
    ///
    /// The store retains only the token's digest (SHA-256), so the token cannot be read again. A device may have
    /// several tokens. A token is valid until ``revokeTokens()``, even after the store is reopened, and in every
    /// process that opens a store on the same ledger.
    ///
    /// - Returns: a new token of 256 random bits.
    /// - Throws: the ledger's errors.
    public func makeToken() throws -> DeviceToken {
        let token = DeviceToken()
        try driver.change { _, events, now in
            let change = OperatorChange.tokenMade(device: number, TokenDigest(token))
            events.append(LedgerRecord(date: now, event: .operator(change)))
        }
        return token
    }

    /// Revokes all tokens of the device.
    ///
    /// A client that uses a revoked token is refused from then on, and receives no more updates.
    ///
    /// - Returns: the number of tokens that were revoked.
    /// - Throws: the ledger's errors.
    @discardableResult
    public func revokeTokens() throws -> Int {
        var count = 0
        try driver.change { state, events, now in
            count = state.operatorState.tokens.count(of: number)
            guard count > 0 else { return }
            events.append(LedgerRecord(date: now, event: .operator(.tokensRevoked(device: number))))
        }
        return count
    }
}

extension SandboxStore {
    /// Returns the device that a token is for, or nil if the token was never issued or has been revoked.
    ///
    /// Reads the records that other stores have appended; if the ledger cannot be read, the known records decide.
    package func device(with token: DeviceToken) -> SandboxDevice? {
        let digest = TokenDigest(token)
        let number = driver.use { driverState, _ in
            try? driverState.refresh()
            return driverState.state.operatorState.tokens.device(of: digest)
        }
        return number.map { SandboxDevice(driver, $0) }
    }
}

/// A reader of a device's app receipt that detects whether the receipt has changed since the last read.
///
/// A receipt with the same content is neither signed nor returned again.
package struct AppReceiptReader: Sendable {
    private let device: SandboxDevice
    private var known = Known.nothing

    private enum Known {
        case nothing, absent
        case version(ReceiptVersion)
    }

    /// The result of a read, with the number of records in the ledger at that time.
    package enum Reading: Sendable {
        case unchanged
        case absent(position: Int)
        case changed(Data, position: Int)
    }

    package init(_ device: SandboxDevice) { self.device = device }

    /// Reads the receipt, and returns it if it has changed since the last read.
    package mutating func read() -> Reading {
        var version: ReceiptVersion?
        if case .version(let known) = known { version = known }
        let (change, position) = device.driver.datedReceipt(on: device.number, unless: version)
        switch change {
        case .unchanged: return .unchanged
        case .none:
            if case .absent = known { return .unchanged }
            known = .absent
            return .absent(position: position)
        case .changed(let image, let version):
            known = .version(version)
            return .changed(image.data, position: position)
        }
    }
}
