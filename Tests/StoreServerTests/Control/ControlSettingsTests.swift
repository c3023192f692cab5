import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// The settings of the servers, changed by the control interface.
@Suite(.libcrypto) struct ControlSettingsTests {
    private let shop: ConsoleShop
    private let router: ServerRouter

    init() throws {
        shop = try ConsoleShop()
        router = ServerRouter(shop.shop.store, key: shop.shop.key, settings: shop.control.settings)
    }

    /// Verifies nothing, and returns the status.
    private var verification: Int? {
        get throws {
            let body = Data(#"{"receipt-data": "AAAA"}"#.utf8)
            return try JSON(data: router.respond(to: HTTPRequest("POST", "/verifyReceipt", body: body)).body).status
                .number
        }
    }

    @Test func `Servers are unavailable while a request says so`() throws {
        #expect(try verification == 21002)
        let changed = try shop.ask("PATCH", "/server", #"{"isAvailable": false}"#)
        #expect(changed.status == 200 && changed.json.isAvailable.bool == false)
        #expect(try verification == 21005)
        #expect(try shop.ask("PATCH", "/server", #"{"isAvailable": true}"#).status == 200)
        #expect(try verification == 21002)
    }

    @Test func `The app is not released while a request says so`() throws {
        #expect(try shop.ask("GET", "/server").json.isReleased.bool == true)
        let changed = try shop.ask("PATCH", "/server", #"{"isReleased": false}"#)
        #expect(changed.status == 200 && changed.json.isReleased.bool == false)
        #expect(!shop.control.settings.isReleased && shop.control.settings.isAvailable)
        #expect(try shop.ask("PATCH", "/server", #"{"isReleased": true}"#).json.isReleased.bool == true)
    }

    @Test func `The shared secret is set, kept by a change without it, and removed by null, and never read`() throws {
        #expect(try shop.ask("PATCH", "/server", #"{"sharedSecret": "hush"}"#).json.hasSharedSecret.bool == true)
        #expect(try shop.ask("PATCH", "/server", "{}").json.hasSharedSecret.bool == true)
        #expect(shop.control.settings.sharedSecret == "hush")
        let read = try shop.ask("GET", "/server").json
        #expect(!"\(read)".contains("hush") && read.hasSharedSecret.bool == true)
        #expect(try shop.ask("PATCH", "/server", #"{"sharedSecret": null}"#).json.hasSharedSecret.bool == false)
        #expect(shop.control.settings.sharedSecret == nil)
    }

    @Test func `A server that chooses retention messages has as long as a request says`() throws {
        #expect(try shop.ask("GET", "/server").json.retentionTimeout.amount == 0.7)
        let changed = try shop.ask("PATCH", "/server", #"{"retentionTimeout": 2.5}"#)
        #expect(changed.status == 200 && changed.json.retentionTimeout.amount == 2.5)
        #expect(shop.control.realtime.timeout == 2.5)
    }

    @Test func `Verifications and requests fail in the order of the orders, and what remains is read and taken back`()
        throws
    {
        #expect(try shop.ask("POST", "/failures", #"{"verification": 21150, "isRetryable": false}"#).status == 200)
        #expect(try shop.ask("POST", "/failures", #"{"verification": 21009, "times": 2}"#).status == 200)
        let all = try shop.ask("POST", "/failures", #"{"request": 4290000, "times": 3}"#).json
        #expect(all.verifications.list.map(\.verification.number) == [21150, 21009])
        #expect(all.requests[0].request.number == 4_290_000 && all.requests[0].times.number == 3)
        #expect(try verification == 21150)
        #expect(try verification == 21009)
        let rest = try shop.ask("GET", "/server").json.verifications
        #expect(rest.list.count == 1 && rest[0].times.number == 1)
        let headers = shop.headers
        let taken = shop.control.respond(
            to: HTTPRequest("DELETE", "/control/v1/failures", headers: headers),
            ["v1", "failures"]
        )
        #expect(taken.status == 204)
        #expect(try verification == 21002)
        #expect(shop.control.settings.nextRequest() == nil)
    }

    @Test(arguments: [
        ("PATCH", "/server", #"{"available": true}"#, #"did you mean "isAvailable"?"#),
        ("PATCH", "/server", #"{"isAvailable": 1}"#, #""isAvailable" is not true or false"#),
        ("PATCH", "/server", #"{"retentionTimeout": 0}"#, "from 0.001 to 86400"),
        ("POST", "/failures", "{}", "either"),
        ("POST", "/failures", #"{"verification": 21009, "request": 4290000}"#, "either"),
        ("POST", "/failures", #"{"verification": 1}"#, "from 21000 to 21199"),
        ("POST", "/failures", #"{"request": 1}"#, "is not the number of an error"),
        ("POST", "/failures", #"{"verification": 21009, "times": 0}"#, "from 1 to 1000000"),
    ])
    func `A change that is invalid is refused with a sentence`(
        method: String,
        path: String,
        body: String,
        sentence: String
    ) throws {
        let (status, json) = try shop.ask(method, path, body)
        #expect(status == 400 && json.error.message.text?.contains(sentence) == true, "\(json)")
        #expect(shop.control.settings.isAvailable && shop.control.settings.nextVerification() == nil)
    }
}
