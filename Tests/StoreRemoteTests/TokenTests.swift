import Foundation
import StoreCore
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// Who may buy on a device elsewhere.
@Suite(.fewAtATime, .server) struct TokenTests {
    @Test func `A token has 256 random bits, and neither a description nor a reflection shows it`() throws {
        let store = try SandboxStore(products: RemoteShop.products)
        let tokens = try (0..<100).map { _ in try store.device.makeToken() }
        #expect(Set(tokens.map(\.text)).count == 100)
        #expect(tokens.allSatisfy { $0.text.utf8.count == 43 && DeviceToken($0.text) == $0 })
        #expect(!"\(tokens[0])".contains(tokens[0].text))
        var dumped = ""
        dump(tokens[0], to: &dumped)
        #expect(!dumped.contains(tokens[0].text))
    }

    @Test(arguments: ["", "token", String(repeating: "A", count: 44), String(repeating: "!", count: 43)])
    func `Any other text is no token`(text: String) { #expect(DeviceToken(text) == nil) }

    @Test func `The ledger has the digest of a token, and not the token`() throws {
        let ledger = MemoryLedger()
        let store = try SandboxStore(products: RemoteShop.products, ledger: ledger)
        let token = try store.device.makeToken()
        let records = try ledger.read(after: 0, limit: .max).map {
            String(decoding: try JSONEncoder().encode($0), as: UTF8.self)
        }
        #expect(records.contains { $0.contains("tokenMade") } && !records.contains { $0.contains(token.text) })
        let timeline = try store.timeline
        #expect(!"\(timeline)".contains(token.text))
    }

    @Test func `A token that was never made is refused, without being shown`() async throws {
        let shop = try RemoteShop()
        let other = try SandboxStore(products: RemoteShop.products).device.makeToken()
        let remote = RemoteStore(url: shop.server.url, token: other)
        let failure = await #expect(throws: StoreFailure.self) { try await remote.prepare() }
        #expect(failure?.domain == .network && failure?.code == URLError.Code.userAuthenticationRequired.rawValue)
        #expect(failure?.reason.contains(other.text) == false)
    }

    @Test func `A token buys on its own device and on no other`() async throws {
        let shop = try RemoteShop()
        let bob = try shop.store.addAccount("bob")
        let phone = try shop.store.addDevice("phone", signedInTo: bob)
        let remote = RemoteStore(url: shop.server.url, token: try phone.makeToken())
        try await remote.submit([.purchase(of: "sword")])
        #expect(try shop.store.transactions.map(\.device) == ["phone"])
        #expect(try shop.store.transactions.map(\.account) == ["bob"])
    }

    @Test func `When tokens are revoked, open streams end and requests are refused`() async throws {
        let shop = try RemoteShop()
        let line = await shop.remote().connected()
        #expect(try shop.device.revokeTokens() == 1)
        await line.receiver.waitForLoss()
        #expect(line.receiver.losses[0].code == URLError.Code.userAuthenticationRequired.rawValue)
        await #expect(throws: StoreFailure.self) { try await shop.remote().prepare() }
        #expect(try shop.device.revokeTokens() == 0)
    }

    @Test func `Two servers on one ledger know the same tokens, and forget them together`() async throws {
        let ledger = MemoryLedger()
        let one = try RemoteShop(ledger: ledger)
        // A connection that is silent for three of them is lost, and must not be before it has begun.
        let two = try RemoteShop(ledger: ledger, token: one.token) { $0.heartbeat = 3 }
        let line = await two.remote().connected()
        try one.device.revokeTokens()
        await line.receiver.waitForLoss()
        await #expect(throws: StoreFailure.self) { try await two.remote().prepare() }
    }

    @Test func `A store that is opened again knows its tokens`() async throws {
        let ledger = MemoryLedger()
        let token = try RemoteShop(ledger: ledger).token
        let shop = try RemoteShop(ledger: ledger, token: token)
        try await shop.remote().prepare()
    }
}
