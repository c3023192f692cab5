import Foundation
import StoreCore
import Testing

/// What an app hears of a product's transaction that gets into these states: a callback for each, and one for its end.
func calls(of product: String, _ states: SKPaymentTransactionState..., isFinished: Bool = true) -> [[Heard]] {
    let updates: [[Heard]] = states.map { [.updated(product, $0)] }
    return isFinished ? updates + [[.removed(product)]] : updates
}

/// What an app hears of a purchase that goes through elsewhere, or of a renewal, and of having finished it.
func delivered(_ product: String) -> [[Heard]] { calls(of: product, .purchased) }

/// The moments at which days begin in UTC.
func days(_ texts: String...) -> [Date] { texts.map { Market.date($0 + "T00:00:00Z") } }

/// What a test's clock is in.
protocol Timed { var market: Market { get } }

extension Timed {
    /// The same when it has become later.
    func at(_ moment: String) -> Self {
        market.advance(to: moment)
        return self
    }

    /// The same some seconds later.
    func after(_ seconds: TimeInterval) -> Self {
        market.clock.advance(by: seconds)
        return self
    }
}

extension Household: Timed {}
extension NotifiedShop: Timed {}
extension OfferShop: Timed {}
extension Subscriber: Timed {}

extension Market: Timed {
    var market: Market { self }
    var account: SandboxAccount { store.account }
    /// What the account has of the group of the metals.
    var metals: SandboxSubscription? { account.subscription(inGroup: "metals") }

    /// A market on the ledger of another one, which is gone.
    static func reopened(on day: String = "2025-01-01T00:00:00Z", after act: (Market) throws -> Void) throws -> Market {
        let ledger = MemoryLedger()
        do { try act(Market(ledger: ledger)) }
        return try Market(on: day, ledger: ledger)
    }
}

extension SandboxStore {
    /// Does something and waits until nothing moves.
    func settle(after act: () throws -> Void) rethrows {
        try act()
        settle()
    }

    /// The purchases in a device's app receipt, unless told otherwise the first one's, in the transactions' order.
    func purchases(on device: SandboxDevice? = nil) throws -> [AppReceipt.Purchase] {
        let receipt = try #require((device ?? self.device).appReceipt)
        return AppReceiptSamples.sorted(try verify(appReceipt: receipt)).purchases
    }
}

extension App {
    /// Launches an app that orders these at once, one after the other.
    convenience init(on backend: any StoreBackend, finishes: Bool = true, buying product: String, _ more: String...) {
        self.init(on: backend, finishes: finishes)
        for product in [product] + more { buy(product) }
    }

    /// What it hears while something happens, call by call.
    func told(_ act: () throws -> Void) rethrows -> [[Heard]] {
        recorder.clear()
        try act()
        return recorder.callbacks
    }

    /// Orders one after the other.
    func buy(_ first: String, _ second: String, _ more: String...) {
        for product in [first, second] + more { buy(product) }
    }
}

extension SandboxAccount {
    /// Buys one after the other, without an app's order.
    func buy(_ first: String, _ second: String, _ more: String...) throws {
        for product in [first, second] + more { try buy(product) }
    }
}

extension OfferShop {
    /// Orders a subscription under an offer and returns what came of it.
    func ordered(_ product: String, under offer: StoreOffer) -> SKPaymentTransaction? {
        app.order(product, under: offer)
        return app.recorder.transactions.last
    }

    /// Orders a subscription under a signed offer and returns what came of it.
    func bought(_ product: String, under discount: StoreDiscount, for user: String? = nil) -> SKPaymentTransaction? {
        buy(product, under: discount, username: user)
        return app.recorder.transactions.last
    }

    /// Orders a subscription under an offer that the store signs and returns what came of it.
    func bought(_ product: String, under offer: String) throws -> SKPaymentTransaction? {
        bought(product, under: try store.signedOffer(offer, for: product))
    }
}

/// Why an act in the store fails; nil: it does not.
func failure(of act: () throws -> Void) -> StoreFailure? {
    do {
        try act()
        return nil
    } catch { return StoreFailure(error) }
}

extension StoreFailure {
    /// Whether it has a code of Store Kit's.
    func isStoreKit(_ code: SKError.Code) -> Bool { self.code == code.rawValue }
}

/// A signer of receipts that signs nothing.
protocol IdleSigner: ReceiptSigner {}

extension IdleSigner {
    var signatureVersion: UInt8 { 9 }
    var signatureLength: Int { 0 }
    func sign(_ message: Data) -> Data { Data() }
    func isValid(signature: Data, for message: Data) -> Bool { false }
}

extension Authorizer {
    /// One that takes note of what it is asked, and approves.
    static func noting(_ note: @escaping @Sendable (AuthorizationRequest) -> Void) -> Authorizer {
        Authorizer { request in
            note(request)
            return .approve
        }
    }
}
