import Foundation
import StoreCore
import StoreCrypto
import StoreScenario
import Testing

@testable import StoreServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the page is told, and what it has performed.
@Suite(.libcrypto) struct ConsoleTests {
    private let shop: ConsoleShop

    init() throws { shop = try ConsoleShop() }

    @Test(arguments: [("", "text/html"), ("/page.css", "text/css"), ("/page.js", "text/javascript")])
    func `The page needs nothing from elsewhere, and may load nothing from there`(path: String, type: String) throws {
        let response = try ConsoleShop().respond("GET", path)
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 200 && response.headers["Content-Type"] == "\(type); charset=utf-8")
        #expect(response.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'; script-src 'self'") == true)
        #expect(!text.isEmpty && !text.contains("http://") && !text.contains("https://"))
        // Markup in a product's name stays text.
        #expect(!text.contains("innerHTML") && !text.contains("insertAdjacentHTML") && !text.contains("document.write"))
    }

    @Test func `What is not there and what is asked wrongly is answered with a sentence`() throws {
        for (method, path, status) in [
            ("GET", "/nowhere", 404), ("GET", "/transaction/1", 404), ("GET", "/transaction", 404),
            ("GET", "/state", 404), ("POST", "/act", 405), ("POST", "/overview", 405), ("DELETE", "", 405),
        ] {
            let response = shop.respond(method, path)
            #expect(response.status == status)
            #expect(try JSON(data: response.body).error.text?.isEmpty == false)
            #expect((response.headers["Allow"] != nil) == (status == 405))
        }
    }

    @Test func `A receipt that is too long to show is told by its length`() throws {
        let shop = try ConsoleShop(.sandbox(CertificateAuthority(now: ManualClock().now)))
        #expect(try shop.act("buy sword").status == 200)
        let store = shop.shop.store
        let view = ServerView(store)
        func details(_ bytes: Int) throws -> JSON {
            let transactions = ConsoleTransactions(store, view, StoreChronicle(store), largestReceipt: bytes)
            return try JSON(data: try #require(try transactions.details(of: "1")).data)
        }
        let size = try #require(store.device.appReceipt).count
        #expect(try details(size).receipt.bytes.number == size)
        let refused = try details(size - 1).receipt
        #expect(refused.error.text == "the app receipt on device has \(size) bytes, too many to show")
    }

    @Test func `Every command is offered with its words`() throws {
        let commands = try ConsoleShop().ask("/commands").list
        #expect(commands.map(\.command.text) == ScenarioCommand.all.map(\.name))
        let buy = try #require(commands.first { $0.command.text == "buy" })
        #expect(buy.parameters[0].type.text == "product" && buy.parameters[0].optional.bool == false)
        #expect(buy.options.list.contains { $0.name.text == "--account" && $0.type.text == "account" })
    }

    @Test func `A transaction's JWS and receipt are decoded`() throws {
        let shop = try ConsoleShop(.sandbox(CertificateAuthority(now: ManualClock().now)))
        #expect(try shop.act("buy sword").status == 200)
        let details = try shop.ask("/transaction/1")
        func decoded(_ text: JSON) throws -> JSON { try JSON(data: Data(try #require(text.text, "\(details)").utf8)) }
        #expect(try decoded(details.jws.header).alg.text == "ES256")
        #expect(try decoded(details.jws["payload"]).productId.text == "sword")
        #expect(details.jws.certificates.list.count == 3)
        #expect(details.jws.certificates.list.allSatisfy { $0.subject.text?.contains("CN=") == true })
        #expect(details.jws.certificates[0].from.text?.count == 20)
        #expect(try decoded(details.receipt.json).receipt.in_app[0].product_id.text == "sword")
        #expect(details.transaction.product.text == "sword")
    }

    @Test func `A transaction that nobody paid for has no JWS, and says so`() throws {
        shop.shop.store.purchaseFailure = .storeKit(.paymentCancelled, "a test wants it")
        #expect(try shop.act("buy sword").status == 200)
        let details = try shop.ask("/transaction/1")
        #expect(details.transaction.state.text == "failed" && details.transaction.reason.text == "a test wants it")
        #expect(details.jws.error.text?.isEmpty == false)
        #expect(details.receipt.error.text?.contains("no app receipt") == true)
    }

    @Test(.microHTTPD) func `A server has a page where it is asked for`() async throws {
        let store = try SandboxStore(products: Shop.products)
        #expect(try StoreServer(store).consoleURL == nil)
        var configuration = StoreServer.Configuration()
        configuration.hasConsole = true
        let server = try StoreServer(store, configuration: configuration)
        let url = try #require(server.consoleURL)
        #expect(url.absoluteString.hasPrefix("http://127.0.0.1:\(server.port)/console#token="))
        let (page, _) = try await URLSession.shared.data(from: url)
        #expect(String(decoding: page, as: UTF8.self).hasPrefix("<!DOCTYPE html>"))
        var request = URLRequest(url: server.url.appending(path: "control/v1/commands/buy"))
        (request.httpMethod, request.httpBody) = ("POST", Data(#"{"product": "coins"}"#.utf8))
        let (_, refused) = try await URLSession.shared.data(for: request)
        #expect((refused as? HTTPURLResponse)?.statusCode == 401)
        let token = String(url.fragment()?.dropFirst(6) ?? "")
        #expect(token == server.controlToken)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (_, done) = try await URLSession.shared.data(for: request)
        #expect((done as? HTTPURLResponse)?.statusCode == 200)
        #expect(try store.transactions.count == 1)
    }
}
