import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// The command `view-cancellation`, which waits for the app's server.
@Suite(.libcrypto) struct WaitingCommandTests {
    private let shop: ConsoleShop
    private let transport = AnsweringTransport()
    private let client: RealtimeClient

    init() throws {
        shop = try ConsoleShop()
        let store = shop.shop.store
        client = RealtimeClient(ServerView(store), transport: transport)
        store.connect(client)
        try store.setRetentionURL("https://example.com/message")
        try shop.shop.buy("gold")
    }

    /// Lets the app's server perform lines while it chooses; returns what they are answered with.
    private func performing(_ lines: [String], key: String? = nil) -> Locked<[Int]> {
        let (control, statuses) = (shop.control, Locked<[Int]>([]))
        let headers = shop.headers.merging(key.map { ["Idempotency-Key": $0] } ?? [:]) { $1 }
        transport.answers { _ in
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                for line in lines {
                    let body = Data(#"{"line": "\#(line)"}"#.utf8)
                    let request = HTTPRequest("POST", "/control/v1/commands", headers: headers, body: body)
                    let status = control.respond(to: request, request.path.dropFirst()).status
                    statuses.withLock { $0.append(status) }
                }
                isDone.signal()
            }
            // A command that waits for this answer fails the test, and does not hang it.
            _ = isDone.wait(timeout: .now() + 60)
            return (.success, 200, Data("{}".utf8))
        }
        return statuses
    }

    @Test func `While the app's server chooses a message, it may buy, and move the clock`() throws {
        let statuses = performing(["buy coins", "advance 1d", "transactions"])
        let page = try shop.act("view-cancellation")
        #expect(page.status == 200 && page.json.pages.list.count == 1)
        #expect(statuses.withLock { $0 } == [200, 200, 200])
        #expect(try shop.shop.store.transactions.count == 2)
    }

    @Test func `A command that waits is not performed again with its key, which has its answer afterwards`() throws {
        let statuses = performing(["view-cancellation metals", "buy coins"], key: "a")
        let headers = shop.headers.merging(["Idempotency-Key": "a"]) { $1 }
        let first = try shop.act("view-cancellation metals", headers: headers)
        #expect(first.status == 200 && statuses.withLock { $0 } == [409, 409])
        let again = try shop.act("view-cancellation metals", headers: headers)
        #expect(again.status == 200 && again.json.done.text == first.json.done.text)
        #expect(transport.questions.count == 1)
    }

    @Test func `A command that waits and is refused is tried again with its key`() throws {
        try shop.shop.account.setAutoRenew(false, inGroup: "metals")
        let headers = shop.headers.merging(["Idempotency-Key": "a"]) { $1 }
        #expect(try shop.act("view-cancellation metals", headers: headers).status == 422)
        try shop.shop.account.setAutoRenew(true, inGroup: "metals")
        #expect(try shop.act("view-cancellation metals", headers: headers).status == 200)
    }

    @Test func `A client that is stopped while it waits gets the default page, once`() throws {
        transport.hold()
        let pages = Locked<[CancellationPage?]>([])
        shop.shop.account.viewCancellation(inGroup: "metals") { page in
            pages.withLock { $0.append(try? page.get()) }
        }
        #expect(pages.withLock { $0 }.isEmpty)
        client.stop()
        #expect(pages.withLock { $0.map { $0?.refusal } } == ["the server cannot be asked: OTHER"])
        transport.release()
        #expect(pages.withLock { $0.count } == 1)
    }

    @Test func `Several who wait see the default page in the order in which they asked`() throws {
        for number in 1...9 { try shop.shop.buy("gold", try shop.shop.store.addAccount("user \(number)")) }
        transport.hold()
        let names = Locked<[String]>([])
        let accounts = shop.shop.store.accounts
        for account in accounts {
            account.viewCancellation(inGroup: "metals") { _ in names.withLock { $0.append(account.name) } }
        }
        client.stop()
        #expect(names.withLock { $0 } == accounts.map(\.name))
    }

    @Test func `A store that is opened while the server stops asks no app's server`() throws {
        var configuration = StoreServer.Configuration()
        (configuration.transport, configuration.log) = (transport, .silent)
        let gate = try ControlGuard()
        let stores = TestStores(besides: shop.shop.store, configuration, gate: gate)
        defer { stores.closeAll() }
        stores.stopAsking()
        let headers = ["Host": "localhost:8080", "Authorization": "Bearer \(gate.token)"]
        let opened = try stores.open(HTTPRequest("POST", "/control/v1/stores", headers: headers))
        let name = try JSON(data: opened.data).store.text ?? ""
        func perform(_ line: String) throws -> JSON {
            let body = Data(#"{"line": "\#(line)"}"#.utf8)
            let path = "/stores/\(name)/control/v1/commands"
            return try JSON(data: stores.respond(to: HTTPRequest("POST", path, headers: headers, body: body)).body)
        }
        _ = try perform("retention-url https://example.com/message")
        _ = try perform("buy gold")
        let pages = try perform("view-cancellation").pages.list
        #expect(pages.map(\.refusal.text) == ["the server cannot be asked: OTHER"] && transport.questions.isEmpty)
    }

    @Test(.microHTTPD) func `A server stops while the app's server chooses a message`() throws {
        let transport = AnsweringTransport()
        let asked = DispatchSemaphore(value: 0)
        transport.answers { _ in
            asked.signal()
            return (.success, 200, Data("{}".utf8))
        }
        transport.hold()
        var configuration = StoreServer.Configuration()
        (configuration.hasControl, configuration.transport) = (true, transport)
        configuration.retentionTimeout = 86_400
        let server = try StoreServer(shop.shop.store, configuration: configuration)
        let head = "POST /control/v1/commands/view-cancellation HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        let token = try #require(server.controlToken)
        let command = try Client(
            port: server.port,
            sending: head + "Authorization: Bearer \(token)\r\nContent-Length: 2\r\n\r\n{}"
        )
        #expect(asked.wait(timeout: .now() + 60) == .success)
        let isStopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            server.stop()
            isStopped.signal()
        }
        #expect(isStopped.wait(timeout: .now() + 60) == .success)
        #expect(command.readAnswer()?.status == 200)
        // Where the test fails, the server stops only now.
        transport.release()
    }
}
