import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// The quirks of a served store, set by the control interface.
@Suite(.libcrypto) struct QuirkSettingsTests {
    private let shop: ConsoleShop

    init() throws { shop = try ConsoleShop() }

    @Test func `Quirks are set, read, kept by a change without them, and removed`() throws {
        #expect(try shop.ask("GET", "/server").json.quirks.list.isEmpty)
        let changed = try shop.ask("PATCH", "/server", #"{"quirks": ["notifies-twice", "lists-late=0.5"]}"#)
        #expect(changed.status == 200 && changed.json.quirks.list.map(\.text) == ["lists-late=0.5", "notifies-twice"])
        #expect(shop.shop.store.quirks == [.listsLate(by: 0.5), .notifiesTwice])
        #expect(try shop.ask("PATCH", "/server", #"{"isAvailable": true}"#).json.quirks.list.count == 2)
        #expect(try shop.ask("PATCH", "/server", #"{"quirks": ["macos-26.6"]}"#).status == 200)
        #expect(shop.shop.store.quirks == .macOS26_6)
        #expect(try shop.ask("PATCH", "/server", #"{"quirks": []}"#).json.quirks.list.isEmpty)
        #expect(shop.shop.store.quirks.isEmpty)
    }

    @Test(arguments: [
        (#"{"quirks": ["notifies-twise"]}"#, #""notifies-twise" is not a quirk; did you mean "notifies-twice"?"#),
        (#"{"quirks": ["sideways"]}"#, #""sideways" is not a quirk; the command quirks lists them"#),
        (#"{"quirks": ["notifies-twice=1"]}"#, #""notifies-twice=1" has no time"#),
        (#"{"quirks": ["lists-late=soon"]}"#, "needs seconds, at least 0 and at most 10 years, as in lists-late=0.5"),
        (#"{"quirks": "lists-late"}"#, #""quirks" is not a list"#),
    ])
    func `A name that is no quirk's is refused, and changes nothing`(body: String, message: String) throws {
        shop.shop.store.quirks = [.notifiesTwice]
        let answer = try shop.ask("PATCH", "/server", body)
        #expect(answer.status == 400)
        #expect(answer.json.error.message.text?.contains(message) == true, "\(answer.json)")
        let opened = try shop.ask("POST", "/stores", body)
        #expect(opened.status == 400 && opened.json.error.message.text?.contains(message) == true)
        #expect(shop.shop.store.quirks == [.notifiesTwice])
    }

    @Test func `Quirks leave the faults of deliveries as they are`() throws {
        let transport = ScriptedTransport(shop.shop.clock)
        let shop = try ConsoleShop(self.shop.shop, transport: transport)
        shop.outbox.add(DeliveryRule(fault: .late(seconds: 60), times: 1, type: nil))
        try shop.shop.account.buy("coins")
        shop.shop.store.settle()
        for quirks in [#"["notifies-out-of-order"]"#, "[]"] {
            #expect(try shop.ask("PATCH", "/server", "{\"quirks\": \(quirks)}").status == 200)
            shop.shop.store.settle()
            #expect(transport.posts.isEmpty)
        }
        shop.shop.clock.advance(by: 60)
        #expect(transport.posts.count == 1)
    }

    @Test func `What a quirk holds back is delivered once another change removes it`() throws {
        let transport = ScriptedTransport(shop.shop.clock)
        let shop = try ConsoleShop(self.shop.shop, transport: transport)
        #expect(try shop.ask("PATCH", "/server", #"{"quirks": ["notifies-out-of-order"]}"#).status == 200)
        try shop.shop.account.buy("coins")
        shop.shop.store.settle()
        #expect(transport.posts.isEmpty)
        #expect(try shop.ask("PATCH", "/server", #"{"quirks": []}"#).status == 200)
        shop.shop.store.settle()
        #expect(transport.posts.count == 1)
    }
}
