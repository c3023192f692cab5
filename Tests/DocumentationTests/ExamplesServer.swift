// The code of the article "Testing your server", and of StoreServer's doc comments, compiled and run; that of the part about
// the command line is the program Keep in .ci/client.
import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(
    .enabled(if: MicroHTTPD.isAvailable, Comment(rawValue: MicroHTTPD.advice)),
    .enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice))
)
struct ServerExamples {
    @Test func `A server verifies a receipt, and answers about a transaction`() async throws {
        let clock = ManualClock()
        let authority = try CertificateAuthority(now: clock.now)
        let signer = try AppStoreSigner(authority, clock: clock)
        let products: [SandboxProduct] = [.nonConsumable("castle", price: "9.99")]
        let store = try SandboxStore(products: products, clock: clock, signer: signer)
        let server = try StoreServer(store)

        let castle = try store.account.buy("castle")
        let receipt = try #require(store.device.appReceipt)
        var verification = URLRequest(url: server.url.appending(path: "verifyReceipt"))
        verification.httpMethod = "POST"
        verification.httpBody = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString()])
        let (answer, _) = try await URLSession.shared.data(for: verification)
        #expect(String(decoding: answer, as: UTF8.self).contains(#""status":0"#))

        var question = URLRequest(url: server.url.appending(path: "inApps/v1/transactions/\(castle)"))
        let token = try server.credentials.token(bundleIdentifier: "com.example.app")
        question.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (data, _) = try await URLSession.shared.data(for: question)
        let jws = try #require(try JSONDecoder().decode([String: String].self, from: data)["signedTransactionInfo"])
        let transaction = try TransactionPayload(verifying: jws, signer: store.payloadSigner)
        #expect(transaction.productId == "castle")

        let folder = FileManager.default.temporaryDirectory.appending(path: "ServerExamples-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(server.credentials.privateKeyPEM.utf8).write(to: folder.appending(path: "key.p8"))
        try authority.rootCertificate.write(to: folder.appending(path: "root.der"))
        print(server.url, server.credentials.issuer, server.credentials.keyIdentifier)

        // A forged receipt, and one that nobody knows any more.
        let others = try SandboxStore(
            products: products,
            clock: clock,
            signer: try AppStoreSigner(CertificateAuthority(now: clock.now), clock: clock)
        )
        try others.account.buy("castle")
        let forged = try #require(others.device.appReceipt)
        #expect(try await status(of: server.url, forged) == 21003)
        try store.deleteTransaction(castle)
        #expect(try await status(of: server.url, receipt) == 21010)
    }

    @Test func `A server fails on demand`() async throws {
        let store = try SandboxStore(products: [.nonConsumable("castle", price: "9.99")])
        try store.account.buy("castle")
        let receipt = try #require(store.device.appReceipt)
        let server = try StoreServer(store)
        server.failVerification(with: 21150, isRetryable: true, times: 2)
        server.failRequests(with: 4_290_000)
        for expected in [21150, 21150, 0] { #expect(try await status(of: server.url, receipt) == expected) }
        server.isAvailable = false
        #expect(try await status(of: server.url, receipt) == 21005)
        server.isAvailable = true
        server.isReleased = false
        #expect(!server.isReleased)
        #expect(try await status(of: server.productionURL, receipt) == 21007)
    }

    @Test func `A server asks for a shared secret, and sends notifications`() throws {
        let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]
        let clock = ManualClock()
        let authority = try CertificateAuthority(now: clock.now)
        let signer = try AppStoreSigner(authority, clock: clock)
        let store = try SandboxStore(products: products, clock: clock, signer: signer)
        var configuration = StoreServer.Configuration()
        configuration.notificationURL = URL(string: "http://127.0.0.1:8080/notifications")
        configuration.sharedSecret = "0123456789abcdef0123456789abcdef"
        let server = try StoreServer(store, configuration: configuration)
        #expect(server.port > 0)
    }

    @Test func `The comment on the server is right`() async throws {
        let store = try SandboxStore(products: [.nonConsumable("castle", price: "9.99")])
        try store.account.buy("castle")
        let receipt = try #require(store.device.appReceipt)
        let server = try StoreServer(store)
        let answer = try await post(receipt, to: server.url.appending(path: "verifyReceipt"))
        #expect(!answer.isEmpty)
    }

    private func status(of url: URL, _ receipt: Data) async throws -> Int {
        struct Answer: Decodable { let status: Int }
        let data = try await post(receipt, to: url.appending(path: "verifyReceipt"))
        return try JSONDecoder().decode(Answer.self, from: data).status
    }
}

private func post(_ receipt: Data, to url: URL) async throws -> Data {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString()])
    return try await URLSession.shared.data(for: request).0
}
