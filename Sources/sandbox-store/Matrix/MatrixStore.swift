import Foundation
import StoreCore
import StoreCrypto
import StoreServer

/// A store of one environment with its servers and purchases.
struct MatrixStore {
    let store: SandboxStore
    let signer: AppStoreSigner
    let server: StoreServer
    let purchases: [MatrixPurchase]

    /// Opens a store and its servers, and buys.
    ///
    /// - Parameters:
    ///   - environment: the environment.
    ///   - configuration: the products.
    ///   - options: the options of the command.
    ///   - authority: the authority whose root signs.
    ///   - credentials: the API key.
    ///   - clock: the store's clock.
    ///   - port: the port of the servers; 0 for any free port.
    ///   - skipped: the number of transaction identifiers that are left to the other environment.
    /// - Throws: the errors of the store and of its servers.
    init(
        _ environment: AppStoreSigner.Environment,
        _ configuration: StoreConfiguration,
        _ options: MatrixOptions,
        authority: CertificateAuthority,
        credentials: StoreServer.Credentials,
        clock: any StoreClock,
        port: UInt16,
        skipping skipped: Int
    ) throws {
        signer = try AppStoreSigner(authority, clock: clock, environment: environment)
        // Without the file's settings, by which a purchase could wait or fail.
        store = try SandboxStore(
            products: configuration.products,
            clock: clock,
            storefront: configuration.settings.storefront,
            locale: "en_US",
            signer: signer,
            bundleIdentifier: options.bundleIdentifier,
            appAppleIdentifier: environment == .production ? options.appAppleIdentifier : nil
        )
        let products = MatrixPurchase.products(of: configuration)
        if let first = products.first {
            let earlier = try store.addAccount("earlier")
            for _ in 0..<skipped { try store.deleteTransaction(try earlier.buy(first.product)) }
        }
        var served = StoreServer.Configuration()
        served.credentials = credentials
        served.port = port
        server = try StoreServer(store, configuration: served)
        let (store, notifications) = (store, server.notifications)
        purchases = try products.map { try MatrixPurchase($0.product, $0.kind, in: store, notifications) }
    }
}
