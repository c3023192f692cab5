import Foundation
import StoreCore
import StoreCrypto
import StoreKit
import StoreServer
import Testing

@testable import HookServerApp

/// A store with the App Store's servers, and this server beside them.
struct ServedShop {
    let store: SandboxStore
    let appStore: StoreServer
    let notifications: ServerNotifications
    let server: Routes
    let customer = UUID()

    init() throws {
        let clock = ManualClock()
        let signer = try AppStoreSigner(CertificateAuthority(now: clock.now), clock: clock)
        let products: [SandboxProduct] = [
            .consumable("coin", price: "0.99"),
            .autoRenewable("pro", price: "4.99", period: .monthly, group: "pro"),
        ]
        store = try SandboxStore(products: products, clock: clock, signer: signer)
        notifications = try ServerNotifications(store)
        appStore = try StoreServer(store)
        let token = try appStore.credentials.token(bundleIdentifier: "com.example.app")
        server = routes(api: AppStoreAPI(base: appStore.url, token: { token }))
    }

    func buy(_ name: String) async throws -> String {
        let customer = self.customer
        return try await StoreContext(backend: store, delivery: .inline).run {
            let product = try #require(try await Product.products(for: [name]).first)
            guard case .success(let result) = try await product.purchase(options: [.appAccountToken(customer)]) else {
                Issue.record("\(name) was not bought")
                return ""
            }
            let transaction = try result.payloadValue
            await transaction.finish()
            return String(transaction.id)
        }
    }

    /// All that the App Store has had to say so far.
    func told() throws -> [Data] {
        try notifications.received().map { try JSONEncoder().encode(["signedPayload": $0.signedPayload]) }
    }

    func post(_ bodies: [Data]) async -> [Int] {
        var statuses: [Int] = []
        for body in bodies { statuses.append(await server.respond(to: "POST", "/notifications", body: body).status) }
        return statuses
    }

    func access() async throws -> Access {
        let response = await server.respond(to: "GET", "/customers/\(customer.uuidString)")
        return try JSONDecoder().decode(Access.self, from: response.body)
    }
}

@Suite(
    .enabled(if: MicroHTTPD.isAvailable && Libcrypto.isAvailable, "install libmicrohttpd-dev and libssl-dev"),
    .timeLimit(.minutes(1))
)
struct HookServerTests {
    @Test func `A coin that is told twice and uploaded too is one coin`() async throws {
        let shop = try ServedShop()
        defer { withExtendedLifetime(shop) {} }
        let coin = try await shop.buy("coin")
        let upload = try JSONEncoder().encode(["transactionId": coin])
        let path = "/customers/\(shop.customer.uuidString)/transactions"
        #expect(await shop.server.respond(to: "POST", path, body: upload).status == 200)
        let told = try shop.told()
        #expect(await shop.post(told + told) == [200, 200])
        #expect(try await shop.access() == Access(products: [], coins: 1))
    }

    @Test func `A refund that arrives before its purchase stays a refund`() async throws {
        let shop = try ServedShop()
        defer { withExtendedLifetime(shop) {} }
        _ = try await shop.buy("coin")
        _ = try await shop.post(shop.told())
        #expect(try await shop.access().coins == 1)

        let second = try await shop.buy("coin")
        let identifier = try #require(UInt64(second))
        try shop.store.refund(identifier)
        let statuses = try await shop.post(shop.told().reversed())
        #expect(Set(statuses) == [200])
        #expect(try await shop.access().coins == 1)
    }

    @Test func `A subscription is renewed, and ends`() async throws {
        let shop = try ServedShop()
        defer { withExtendedLifetime(shop) {} }
        _ = try await shop.buy("pro")
        shop.store.advance(by: .monthly)
        _ = try await shop.post(shop.told())
        #expect(try await shop.access().products == ["pro"])

        try shop.store.account.setAutoRenew(false, inGroup: "pro")
        shop.store.advance(by: .monthly)
        _ = try await shop.post(shop.told())
        #expect(try await shop.access().products == [])
    }

    @Test func `While the App Store does not answer, the notification is wanted again`() async throws {
        let shop = try ServedShop()
        defer { withExtendedLifetime(shop) {} }
        _ = try await shop.buy("coin")
        let told = try shop.told()
        shop.appStore.isAvailable = false
        #expect(await shop.post(told) == [503])
        #expect(try await shop.access().coins == 0)

        shop.appStore.isAvailable = true
        #expect(await shop.post(told) == [200])
        #expect(try await shop.access().coins == 1)
    }

    @Test func `A forgery neither sells nor refunds`() async throws {
        let shop = try ServedShop()
        defer { withExtendedLifetime(shop) {} }
        let coin = try await shop.buy("coin")
        _ = try await shop.post(shop.told())
        let statuses = await shop.post([try forgedRefund(of: coin), try forgedRefund(of: "424242")])
        #expect(statuses == [200, 400])
        #expect(try await shop.access().coins == 1)
    }

    private func forgedRefund(of transaction: String) throws -> Data {
        func unsigned(_ json: String) -> String { "e30.\(Data(json.utf8).base64EncodedString()).AAAA" }
        let about = unsigned(#"{"transactionId": "\#(transaction)", "revocationDate": 1}"#)
        let payload = unsigned(
            #"{"notificationUUID": "\#(UUID())", "notificationType": "REFUND", "data": {"signedTransactionInfo": "\#(about)"}}"#
        )
        return try JSONEncoder().encode(["signedPayload": payload])
    }
}
