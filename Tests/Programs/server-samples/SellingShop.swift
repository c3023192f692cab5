import Foundation
import StoreCore
import StoreCrypto
import StoreSQLite
import StoreServer

/// A store in a file that sells without end, and its server.
///
/// A sale is told once it is committed: whoever reads of it may rely on it, whatever becomes of the process.
final class SellingShop {
    private let server: StoreServer
    private let store: SandboxStore
    private let accounts: [SandboxAccount]
    private var dice: SplitMix64
    private static let pause: TimeInterval = 0.004

    /// What a client has to know.
    struct Facts: Encodable {
        let port: Int
        let bundleIdentifier: String
        let issuer: String
        let keyIdentifier: String
        let keyFile: String
        let controlToken: String
        /// A receipt of some accounts in Base64, by the account's name.
        let receipts: [String: String]
    }

    init(folder: URL, port: UInt16, seed: UInt64) throws {
        dice = SplitMix64(seed: seed)
        let clock = SystemClock()
        let authority = try CertificateAuthority(folder: folder.appending(path: "authority"), now: clock.now)
        let database = try SQLiteDatabase(at: folder.appending(path: "store.db"))
        store = try SandboxStore(
            products: [
                .consumable("coins", price: "0.99"),
                .nonConsumable("castle", price: "4.99"),
                .autoRenewable("pro", price: "9.99", period: .init(1, .month), group: "pro"),
            ],
            clock: clock,
            ledger: database.ledger,
            signer: try AppStoreSigner(authority, clock: clock)
        )
        while store.accounts.count < 8 {
            let account = try store.addAccount("account \(store.accounts.count)")
            _ = try store.addDevice("device of \(account.name)", signedInTo: account)
            try account.buy("castle")
        }
        accounts = store.accounts
        var configuration = StoreServer.Configuration()
        configuration.port = port
        configuration.hasControl = true
        configuration.credentials = try StoreServer.Credentials(folder: folder.appending(path: "key"))
        server = try StoreServer(store, configuration: configuration)
    }

    func facts() -> Facts {
        var receipts: [String: String] = [:]
        for device in store.devices {
            guard let account = device.account, let receipt = device.appReceipt else { continue }
            receipts[Self.word(account.name)] = receipt.base64EncodedString()
        }
        return Facts(
            port: server.port,
            bundleIdentifier: "com.example.app",
            issuer: server.credentials.issuer,
            keyIdentifier: server.credentials.keyIdentifier,
            keyFile: "key/AuthKey_\(server.credentials.keyIdentifier).p8",
            controlToken: server.controlToken ?? "",
            receipts: receipts
        )
    }

    /// Sells something, and tells it once it is committed.
    func sell(_ tell: (String) throws -> Void) throws {
        let account = accounts[Int.random(in: accounts.indices, using: &dice)]
        let isSubscriber = account.subscription(inGroup: "pro") != nil
        let product = Int.random(in: 0..<20, using: &dice) == 0 && !isSubscriber ? "pro" : "coins"
        let transaction = try account.buy(product)
        try tell("sold \(transaction) \(Self.word(account.name))")
        // An app would; what nobody finishes is kept for each device, and in each receipt.
        try ServerView(store).finish(transaction)
        Thread.sleep(forTimeInterval: Self.pause)
    }

    private static func word(_ name: String) -> String { name.replacing(" ", with: "_") }
}
