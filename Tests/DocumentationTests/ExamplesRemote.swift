// The code of the article "Devices elsewhere", and of StoreRemote's doc comments, compiled and run.
import Foundation
import StoreCore
import StoreCrypto
import StoreRemote
import StoreServer
import Testing

@Suite(
    .enabled(if: MicroHTTPD.isAvailable, Comment(rawValue: MicroHTTPD.advice)),
    .enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice))
)
struct RemoteExamples {
    @Test func `A kiosk buys with its token, until that is revoked`() async throws {
        let store = try SandboxStore(products: [.consumable("coins", price: "0.99")], clock: SystemClock())
        let kiosk = try store.addDevice("kiosk", signedInTo: store.account)
        let token = try kiosk.makeToken()
        let server = try StoreServer(store)

        let remote = RemoteStore(url: server.url, token: token)
        try await remote.prepare()
        let queue = SKPaymentQueue(backend: remote.asStoreBackend())
        #expect(queue.transactions.isEmpty)

        try kiosk.revokeTokens()
        await #expect(throws: StoreFailure.self) { _ = try await remote.products(["coins"]) }
    }

    @Test func `A remote store is a queue's backend`() throws {
        let token = try SandboxStore(products: []).device.makeToken()
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let store = RemoteStore(url: url, token: token)
        let queue = SKPaymentQueue(backend: store.asStoreBackend())
        #expect(queue.transactions.isEmpty)
    }

    @Test func `A server has a certificate`() throws {
        let authority = try CertificateAuthority(now: Date())
        var configuration = StoreServer.Configuration()
        configuration.identity = try authority.serverIdentity(for: ["store.example.com", "192.0.2.1"], at: Date())
        let store = try SandboxStore(products: [])
        #expect(try StoreServer(store, configuration: configuration).url.scheme == "https")
    }
}
