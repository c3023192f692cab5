import Foundation
import StoreCore
import StoreServer
import Testing

/// Who may read the page, and who may act.
@Suite(.libcrypto) struct ControlGuardTests {
    private let shop: ConsoleShop

    init() throws { shop = try ConsoleShop() }

    @Test func `An act and a reading need the token, and the page itself does not`() throws {
        let host = ["Host": "127.0.0.1:8080"]
        let token = shop.control.token
        var wrong = Array(token)
        wrong[0] = wrong[0] == "A" ? "B" : "A"
        let headers = [nil, "", "Bearer", "Bearer \(String(wrong))", "Bearer \(token)A", "Basic \(token)", token]
        for header in headers {
            let headers = host.merging(header.map { ["Authorization": $0] } ?? [:]) { $1 }
            let (status, json) = try shop.act("buy coins", headers: headers)
            #expect(status == 401 && json.error.code.text == "unauthorized")
            #expect(json.error.message.text?.contains(token) == false)
        }
        #expect(try shop.act("buy coins").status == 200)
        #expect(try shop.ask("/transactions").total.number == 1)
        for path in ["/overview", "/events", "/commands", "/transaction/1"] {
            let response = shop.respond("GET", path, headers: host)
            #expect(response.status == 401 && response.stream == nil, "\(path)")
            #expect(!String(decoding: response.body, as: UTF8.self).contains("coins"))
        }
        for path in ["", "/page.css", "/page.js"] {
            #expect(shop.respond("GET", path, headers: host).status == 200)
        }
    }

    @Test func `Two servers have different tokens of 256 bits`() throws {
        let tokens = try (0..<2).map { _ in try ConsoleShop().control.token }
        #expect(tokens[0] != tokens[1] && tokens.allSatisfy { $0.utf8.count == 43 })
    }

    @Test(arguments: [
        ["Host": "shop.example"], ["Host": "shop.example:8080"], ["Host": "127.0.0.1.shop.example"], ["Host": ""], [:],
        ["Host": "127.0.0.1:8080", "Origin": "http://shop.example"],
        ["Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:9090"],
        ["Host": "127.0.0.1:8080", "Origin": "https://127.0.0.1:8080"], ["Host": "127.0.0.1:8080", "Origin": "null"],
        ["Host": "127.0.0.1:8080", "Sec-Fetch-Site": "cross-site"],
        ["Host": "127.0.0.1:8080", "Sec-Fetch-Site": "same-site"],
    ])
    func `What comes by another name or page is refused, even with the token`(headers: [String: String]) throws {
        let headers = headers.merging(["Authorization": "Bearer \(shop.control.token)"]) { $1 }
        #expect(try shop.act("buy coins", headers: headers).status == 403)
        for path in ["", "/overview", "/events", "/commands", "/transaction/1"] {
            let response = shop.respond("GET", path, headers: headers)
            #expect(response.status == 403 && response.stream == nil)
        }
        for path in ["", "/openapi.json", "/transactions", "/events"] {
            let request = HTTPRequest("GET", "/control/v1\(path)", headers: headers)
            let response = shop.control.respond(to: request, request.path.dropFirst())
            #expect(response.status == 403 && response.stream == nil)
        }
        #expect(try shop.shop.store.transactions.isEmpty)
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.1:8080", "localhost:8080", "LocalHost", "[::1]:8080", "[::1]"])
    func `The names of this machine itself are served`(host: String) throws {
        let headers = ["Host": host, "Origin": "http://\(host)", "Authorization": "Bearer \(shop.control.token)"]
        #expect(try shop.act("buy coins", headers: headers).status == 200)
    }

    @Test func `A link on another page shows the page, and no more`() throws {
        let headers = ["Host": "localhost", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"]
        #expect(shop.respond("GET", "", headers: headers).status == 200)
        #expect(shop.respond("GET", "/overview", headers: headers).status == 403)
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1"])
    func `An address that other machines reach has neither page nor control`(host: String) {
        let error = #expect(throws: StoreServerError.self) { try ControlGuard(host: host) }
        #expect(error?.description.contains(host) == true)
    }
}
