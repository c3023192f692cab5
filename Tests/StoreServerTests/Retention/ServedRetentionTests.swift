import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

/// A server that chooses retention messages, over HTTP.
@Suite(.libcrypto, .microHTTPD) struct ServedRetentionTests {
    private let shop: Shop
    private let message = RetentionMessage(header: "Stay", body: "It goes on.")

    init() throws {
        shop = try Shop()
        try shop.store.addRetentionMessage(message)
        try shop.buy("gold")
    }

    private func open(_ answer: @escaping @Sendable () -> HTTPResponse) throws -> (HTTPServer, StoreServer) {
        let receiver = try HTTPServer { request in
            let isAsked = ((try? JSON(data: request.body)) ?? JSON(nil)).signedPayload.payload.productId.text == "gold"
            return isAsked && request.method == "POST" ? answer() : HTTPResponse(400)
        }
        try shop.store.setRetentionURL("http://127.0.0.1:\(receiver.port)/message")
        var configuration = StoreServer.Configuration()
        // Long enough for a machine with much to do.
        configuration.retentionTimeout = 60
        return (receiver, try StoreServer(shop.store, configuration: configuration))
    }

    @Test func `A server is asked over HTTP, and its choice is shown`() async throws {
        let choice: AnswerValue = .object(["messageIdentifier": .text(message.identifier.uuidString)])
        let servers = try open { HTTPResponse(json: AnswerValue.object(["message": choice]).json) }
        let page = try await shop.account.viewCancellation(inGroup: "metals")
        #expect(page.refusal == nil && page.source == .server && page.message?.header == "Stay")
        servers.1.retentionTimeout = 61
        #expect(servers.1.retentionTimeout == 61)
    }

    @Test func `An answer that is too long, or a redirection, is not taken`() async throws {
        let answers = Locked([HTTPResponse(302, headers: ["Location": "http://127.0.0.1:1/"]), HTTPResponse(503)])
        let long = HTTPResponse(200, body: Data(count: 70_000))
        let servers = try open { answers.withLock { $0.isEmpty ? long : $0.removeFirst() } }
        var reasons: [String?] = []
        for _ in 0..<3 { reasons.append(try await shop.account.viewCancellation(inGroup: "metals").refusal) }
        #expect(
            reasons == [
                "the server answered with HTTP status 302", "the server answered with HTTP status 503",
                "the server cannot be asked: INVALID_RESPONSE",
            ]
        )
        withExtendedLifetime(servers) {}
    }

    @Test func `Without its server, a store asks nobody`() async throws {
        func openAndClose() throws {
            let servers = try open { HTTPResponse(200) }
            servers.1.stop()
        }
        try openAndClose()
        let page = try await shop.account.viewCancellation(inGroup: "metals")
        #expect(page.refusal?.hasPrefix("no StoreServer is open") == true)
    }

    @Test func `A server that was stopped asks nobody, even while it is kept`() async throws {
        let servers = try open { HTTPResponse(200) }
        servers.1.stop()
        let page = try await shop.account.viewCancellation(inGroup: "metals")
        #expect(page.refusal?.hasPrefix("no StoreServer is open") == true)
        withExtendedLifetime(servers) {}
    }

    @Test func `A server that was stopped leaves the connection of another one`() async throws {
        let servers = try open { HTTPResponse(200) }
        let other = RealtimeClient(ServerView(shop.store), transport: AnsweringTransport(status: 500))
        shop.store.connect(other)
        servers.1.stop()
        let page = try await shop.account.viewCancellation(inGroup: "metals")
        #expect(page.refusal == "the server answered with HTTP status 500")
        withExtendedLifetime((servers, other)) {}
    }

    @Test func `A server that is silent is waited for no longer than the limit`() async throws {
        let silent = try SilentServer()
        let client = RealtimeClient(ServerView(shop.store), timeout: 0.01)
        shop.store.connect(client)
        try shop.store.setRetentionURL("http://127.0.0.1:\(silent.port)/message")
        let page = try await shop.account.viewCancellation(inGroup: "metals")
        #expect(page.refusal == "the server did not answer within 10 ms")
    }

    @Test func `An image may be longer than other requests`() throws {
        let limits = HTTPLimits()
        for target in ["/inApps/v1/messaging/image/x?imageSize=FULL_SIZE", "/sandbox/inApps/v1/messaging/image/x"] {
            #expect(limits.for(target).bodySize == limits.receiptBodySize)
        }
        #expect(limits.for("/inApps/v1/messaging/message/x").bodySize == limits.bodySize)
    }
}
