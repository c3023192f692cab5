import Foundation
import StoreContract
import StoreCore
import StoreRemote
import StoreServer

/// A store, its server on this machine, and a device elsewhere.
final class RemoteShop: Sendable {
    let store: SandboxStore
    let server: StoreServer
    let device: SandboxDevice
    let token: DeviceToken

    static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"),
        .nonConsumable("castle", price: "9.99"),
        .consumable("dragon", price: "99.99"),
        .consumable("gift", price: "4.99"),
        .autoRenewable("pass", price: "9.99", period: .init(1, .year), group: "passes"),
        .nonConsumable("scenery", price: "2.99").hosting(Data(0..<100)),
    ]

    /// Opens a store and its server, whose settings the body changes.
    ///
    /// Without a token that the ledger knows, the first device gets a new one.
    init(
        products: [SandboxProduct] = RemoteShop.products,
        clock: any StoreClock = SystemClock(),
        ledger: (any Ledger)? = nil,
        authorizer: Authorizer = .byProduct,
        signer: any ReceiptSigner = HMACReceiptSigner(),
        token: DeviceToken? = nil,
        _ change: (inout StoreServer.Configuration) -> Void = { _ in }
    ) throws {
        store =
            try SandboxStore(products: products, clock: clock, ledger: ledger, authorizer: authorizer, signer: signer)
        var configuration = StoreServer.Configuration()
        // A busy machine is waited for.
        configuration.heartbeat = 600
        change(&configuration)
        server = try StoreServer(store, configuration: configuration)
        device = store.devices[0]
        self.token = try token ?? device.makeToken()
    }

    /// Returns the device as another process sees it.
    func remote(at url: URL? = nil, _ change: (inout RemoteStore.Configuration) -> Void = { _ in }) -> RemoteStore {
        var configuration = RemoteStore.Configuration(timeout: 600)
        change(&configuration)
        return RemoteStore(url: url ?? server.url, token: token, configuration: configuration)
    }
}

extension Authorizer {
    /// Declines the dragon, leaves the gift to somebody else, and sells the rest.
    static let byProduct = Authorizer { request in
        switch request.productIdentifier {
        case "dragon": .decline()
        case "gift": .askToBuy
        default: .approve
        }
    }
}
