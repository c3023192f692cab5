import Foundation
import StoreCore
import StoreCrypto

/// A store that signs like the App Store, with a clock that moves when told.
struct SignedShop {
    let clock: ManualClock
    let authority: CertificateAuthority
    let signer: AppStoreSigner
    let store: SandboxStore

    init(
        lifetimes: CertificateAuthority.Lifetimes = .init(),
        _ sign: (CertificateAuthority, ManualClock) throws -> AppStoreSigner = { try AppStoreSigner($0, clock: $1) }
    ) throws {
        clock = ManualClock(startingAt: .start)
        authority = try CertificateAuthority(now: .start, lifetimes: lifetimes)
        signer = try sign(authority, clock)
        store = try SandboxStore(
            products: [
                .consumable("sword", price: "0.99"),
                .nonConsumable("castle", price: "4.99", isFamilyShareable: true),
                .nonRenewing("lessons", price: "9.99"),
                .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "metals"),
            ],
            clock: clock,
            signer: signer
        )
    }

    /// The app receipt on the store's own device, verified.
    func receipt() throws -> AppReceipt { try store.verify(appReceipt: store.appReceipt ?? Data()) }

    /// The purchases in the app receipt, in the order of their transactions.
    func purchases() throws -> [AppReceipt.Purchase] { try receipt().purchases.inOrder }
}

extension [AppReceipt.Purchase] {
    var inOrder: Self { sorted { (Int($0.transactionIdentifier) ?? 0) < (Int($1.transactionIdentifier) ?? 0) } }
}

extension AppReceipt {
    static let empty = AppReceipt(
        bundleIdentifier: "com.example.app",
        bundleVersion: "32",
        device: Data(count: 16),
        opaqueValue: Data(repeating: 0xab, count: 16),
        creationDate: .start
    )
}

extension AppReceipt {
    /// The same as Xcode writes it: expired in the year 4001.
    static let emptyInXcode = {
        var receipt = empty
        receipt.expirationDate = .distantFuture
        return receipt
    }()
}

extension TransactionReceipt {
    static let gold = TransactionReceipt(
        productIdentifier: "gold",
        transactionIdentifier: "1",
        purchaseDate: .start,
        bundleIdentifier: "com.example.app",
        bundleVersion: "32"
    )
}
