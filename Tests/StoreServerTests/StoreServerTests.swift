import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server from end to end: over HTTP, with a receiver of notifications that is another process's as far as it can tell.
@Suite(.fewAtATime, .microHTTPD, .libcrypto) struct StoreServerTests {
    private func store(_ ledger: any Ledger = MemoryLedger()) throws -> (SandboxStore, ManualClock) {
        let clock = ManualClock()
        return (try SandboxStore(products: Shop.products, clock: clock, ledger: ledger), clock)
    }

    private func post(_ body: AnswerValue, to url: URL) async throws -> JSON {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body.json
        return try JSON(data: try await URLSession.shared.data(for: request).0)
    }

    @Test func `A store answers while the commands of others wait for their notifications to be answered`() throws {
        let (own, clock) = try store()
        let transport = ScriptedTransport(clock)
        var configuration = StoreServer.Configuration()
        (configuration.hasControl, configuration.transport) = (true, transport)
        let server = try StoreServer(own, configuration: configuration)
        let token = try #require(server.controlToken)
        // On a connection of its own, which a thread takes that waits for no command.
        func send(_ method: String, _ path: String, _ body: String) throws -> Client {
            let head = "\(method) /\(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n"
            return try Client(
                port: server.port,
                sending: head + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
        }
        var names: [String] = []
        for _ in 0..<12 {
            let opened = try send("POST", "control/v1/stores", #"{"notificationURL": "http://127.0.0.1:1/"}"#)
            let name = try #require(try JSON(data: Data((opened.readAnswer()?.body ?? "").utf8)).store.text)
            let bought = try send("POST", "stores/\(name)/control/v1/commands/buy", #"{"product": "weekly"}"#)
            #expect(bought.readAnswer()?.status == 200)
            try transport.waitForPost()
            names.append(name)
        }
        transport.holds = true
        // The server stops only once all commands are answered, also where the test fails.
        defer {
            transport.holds = false
            transport.release(.success)
        }
        var commands: [Client] = []
        for name in names {
            commands.append(try send("POST", "stores/\(name)/control/v1/commands/advance", #"{"duration": "1w"}"#))
            try transport.waitForPost()
        }
        #expect(try send("GET", "control/v1", "").readAnswer()?.status == 200)
        transport.holds = false
        transport.release(.success)
        for command in commands { #expect(command.readAnswer()?.status == 200) }
    }

    @Test func `Receipts are verified over HTTP, at each base`() async throws {
        let (store, _) = try store()
        try store.account.buy("sword")
        let server = try StoreServer(store)
        #expect(server.url.absoluteString == "http://127.0.0.1:\(server.port)/")
        let receipt = try #require(store.device.appReceipt)
        let body = AnswerValue.object(["receipt-data": .text(receipt.base64EncodedString())])
        let statuses = [(server.url, 0), (server.sandboxURL, 0), (server.productionURL, 21007)]
        for (url, status) in statuses {
            #expect(try await post(body, to: url.appending(path: "verifyReceipt")).status.number == status)
        }
        server.failVerification(with: 21150, isRetryable: false)
        let failed = try await post(body, to: server.url.appending(path: "verifyReceipt"))
        #expect(failed.status.number == 21150 && failed["is-retryable"].bool == false)
        server.isAvailable = false
        #expect(try await post(body, to: server.url.appending(path: "verifyReceipt")).status.number == 21005)
        #expect(!server.isAvailable)
    }

    @Test func `A receipt that is longer than other requests may be is verified`() async throws {
        let (store, _) = try store()
        for _ in 0..<5000 { try store.account.buy("season") }
        let server = try StoreServer(store)
        let receipt = try #require(store.device.appReceipt)
        let body = AnswerValue.object(["receipt-data": .text(receipt.base64EncodedString())])
        #expect(body.json.count > 1 << 20)
        let answer = try await post(body, to: server.url.appending(path: "verifyReceipt"))
        #expect(answer.status.number == 0 && answer.receipt.in_app.list.count == 5000)
    }

    @Test func `The API is answered over HTTP, with a token by the system's clock`() async throws {
        let (store, _) = try store()
        let gold = try store.account.buy("gold")
        let server = try StoreServer(store)
        // Long enough for a machine with much to do.
        let token = try server.credentials.token(bundleIdentifier: "com.example.app", lifetime: 3500)
        var request = URLRequest(url: server.url.appending(path: "inApps/v1/transactions/\(gold)"))
        let (empty, refusal) = try await URLSession.shared.data(for: request)
        #expect((refusal as? HTTPURLResponse)?.statusCode == 401 && empty.isEmpty)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (data, response) = try await URLSession.shared.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(try JSON(data: data).signedTransactionInfo.payload.transactionId.text == gold)
        server.failRequests(with: 4_290_000)
        #expect(try JSON(data: try await URLSession.shared.data(for: request).0).errorCode.number == 4_290_000)
    }

    @Test func `Notifications are posted over HTTP, again after a failure, and by the next server`() async throws {
        let ledger = MemoryLedger()
        let (store, clock) = try store(ledger)
        let received = Locked<[JSONText]>([])
        let statuses = Locked([500, 200, 206])
        let receiver = try HTTPServer { request in
            received.withLock { $0.append(JSONText(data: request.body)) }
            #expect(request.method == "POST" && request.headers["content-type"] == "application/json")
            return HTTPResponse(statuses.withLock { $0.isEmpty ? 503 : $0.removeFirst() })
        }
        var configuration = StoreServer.Configuration()
        configuration.notificationURL = URL(string: "http://127.0.0.1:\(receiver.port)/notifications")
        configuration.retries = [3600]
        // Long enough for a machine with much to do.
        configuration.transport = URLSessionTransport(timeout: 600)
        let server = try StoreServer(store, configuration: configuration)
        try store.account.buy("coins")
        await store.settle()
        try store.account.buy("gold")
        await store.settle()
        await clock.advance(by: 3600)
        let types = { received.withLock { $0.map { $0.json.signedPayload.payload.notificationType.text } } }
        #expect(types() == ["ONE_TIME_CHARGE", "SUBSCRIBED", "ONE_TIME_CHARGE"])
        try store.account.setAutoRenew(false, inGroup: "metals")
        await store.settle()
        #expect(types().count == 4)
        #expect(try server.notifications.received().map(\.type).count == 3)
        let attempts = try ServerView(store).notifications(after: nil, limit: 10).map { $0.attempts.map(\.result) }
        let failed = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
        #expect(attempts == [[failed, "SUCCESS"], ["SUCCESS"], [failed]])
        server.stop()

        // Another server on the ledger goes on where this one ended.
        let later = ManualClock(startingAt: clock.now)
        let reopened = try SandboxStore(products: Shop.products, clock: later, ledger: ledger)
        let next = try StoreServer(reopened, configuration: configuration)
        await later.advance(by: 3600)
        let last = try #require(received.withLock { $0 }.last).json.signedPayload.payload
        #expect(types().count == 5 && last.notificationType.text == "DID_CHANGE_RENEWAL_STATUS")
        withExtendedLifetime(next) {}
    }

    private struct JSONText: Sendable {
        let data: Data
        var json: JSON { (try? JSON(data: data)) ?? JSON(nil) }
    }

    @Test func `A receiver that is not there, or redirects, is named so in the history`() async throws {
        let transport = URLSessionTransport(timeout: 600)
        let place = Locked("")
        let receiver = try HTTPServer { _ in HTTPResponse(307, headers: ["Location": place.withLock { $0 }]) }
        let url = try #require(URL(string: "http://127.0.0.1:\(receiver.port)/here"))
        place.withLock { $0 = url.absoluteString }
        #expect(await transport.post(to: url) == .circularRedirect)
        place.withLock { $0 = "http://127.0.0.1:\(receiver.port)/there" }
        #expect(await transport.post(to: url) == .unsuccessfulStatus)
        receiver.stop()
        #expect(await transport.post(to: url) == .socketIssue)
    }

    @Test(.timeLimit(.minutes(20))) func `The head of a response decides, though its body never ends`() async throws {
        let receiver = try HTTPServer { request in
            let body = HTTPStream()
            body.send(Data("at length".utf8))
            return HTTPResponse(request.path == ["good"] ? 200 : 500, stream: body)
        }
        let transport = URLSessionTransport(timeout: 600)
        let url = try #require(URL(string: "http://127.0.0.1:\(receiver.port)/"))
        #expect(await transport.post(to: url.appending(path: "good")) == .success)
        #expect(await transport.post(to: url.appending(path: "bad")) == .unsuccessfulStatus)
        receiver.stop()
    }

    @Test(.timeLimit(.minutes(20))) func `A receiver that says nothing has a fraction of a second`() async throws {
        let receiver = try SilentServer()
        let url = try #require(URL(string: "http://127.0.0.1:\(receiver.port)/"))
        #expect(await URLSessionTransport(timeout: 0.25).post(to: url) == .timedOut)
    }

    @Test func `A store that is released with its server leaves nothing`() throws {
        weak var gone: SandboxStore?
        do {
            let (store, _) = try store()
            var configuration = StoreServer.Configuration()
            configuration.notificationURL = URL(string: "http://127.0.0.1:1/")
            configuration.transport = ScriptedTransport(store.clock)
            let server = try StoreServer(store, configuration: configuration)
            try store.account.buy("coins")
            store.settle()
            server.stop()
            gone = store
        }
        #expect(gone == nil)
    }
}

extension NotificationTransport {
    fileprivate func post(to url: URL) async -> SendAttemptResult {
        await withCheckedContinuation { continuation in
            post(Data("{}".utf8), to: url) { result, _ in continuation.resume(returning: result) }
        }
    }
}
