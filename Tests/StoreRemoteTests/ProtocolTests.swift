import Foundation
import StoreCore
import Testing

@testable import StoreRemote
@testable import StoreServer

/// What the store for devices elsewhere answers to whom, without any network.
@Suite struct ProtocolTests {
    private let store: SandboxStore
    private let token: DeviceToken

    init() throws {
        store = try SandboxStore(products: RemoteShop.products)
        token = try store.device.makeToken()
    }

    private func respond(
        _ method: String = "POST",
        _ path: String,
        _ body: String = "{}",
        token: DeviceToken? = nil,
        versions: VersionRange = DeviceProtocol.versions
    ) -> HTTPResponse {
        let headers = ["Authorization": "Bearer \((token ?? self.token).text)"]
        let request = HTTPRequest(method, "/device/\(path)", headers: headers, body: Data(body.utf8))
        return DeviceService(store, versions: versions).respond(to: request, request.path.dropFirst())
    }

    private func failure(_ response: HTTPResponse) throws -> StoreFailure {
        try JSONDecoder().decode(StoreFailure.self, from: response.body)
    }

    private func greeting(_ versions: VersionRange) throws -> String {
        let data = try JSONEncoder().encode(Greeting(versions: versions, wantsReceipts: false))
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `Both sides speak the newest version that both know`() throws {
        let body = try greeting(VersionRange(oldest: 1, newest: 4))
        let response = respond("POST", "hello", body, versions: VersionRange(oldest: 2, newest: 3))
        #expect(response.status == 200)
        #expect(try JSONDecoder().decode(Welcome.self, from: response.body).version == 3)
    }

    @Test func `An older device is told to update the device, and a newer one to update the server`() throws {
        let store = VersionRange(oldest: 2, newest: 3)
        let old = respond("POST", "hello", try greeting(VersionRange(oldest: 1, newest: 1)), versions: store)
        #expect(old.status == 426)
        #expect(try failure(old).reason.hasSuffix("update the device's software"))
        let new = respond("POST", "hello", try greeting(VersionRange(oldest: 4, newest: 5)), versions: store)
        #expect(new.status == 426)
        #expect(try failure(new).reason.hasSuffix("update the store's server"))
    }

    @Test func `A receipt has the ledger's position as of which it is`() throws {
        let properties = String(decoding: try JSONEncoder().encode(ReceiptProperties()), as: UTF8.self)
        let positions = try (1...2).map { _ in
            let response = respond("POST", "2/refresh-receipt", properties)
            let update = try JSONDecoder().decode(ReceiptUpdate.self, from: response.body)
            #expect(update.receipt != nil)
            return try #require(update.position)
        }
        // A refresh is a record.
        #expect(positions[1] == positions[0] + 1)
    }

    @Test func `A change of promotions has the ledger's position, which the status then has as well`() throws {
        func change(_ product: String) throws -> PromotionUpdate {
            let body = String(decoding: try JSONEncoder().encode(PromotionChange.order([product])), as: UTF8.self)
            return try JSONDecoder().decode(
                PromotionUpdate.self,
                from: respond("POST", "2/change-promotion", body).body
            )
        }
        func status() throws -> DeviceStatus {
            let greeting = String(decoding: try JSONEncoder().encode(Greeting(wantsReceipts: false)), as: UTF8.self)
            return try JSONDecoder().decode(Welcome.self, from: respond("POST", "hello", greeting).body).status
        }
        #expect(try status().promotionPosition == nil)
        let first = try change("coins")
        let second = try change("gold")
        #expect(second.promotionOverrides == PromotionOverrides(order: ["gold"]))
        #expect(try #require(second.position) > #require(first.position))
        #expect(try status().promotionPosition == second.position)
    }

    @Test func `A request in another version is refused with a sentence`() throws {
        let response = respond("POST", "9/products", "[]")
        #expect(response.status == 426)
        #expect(try failure(response).reason.contains("version 9"))
    }

    @Test(arguments: DeviceCall.allCases) func `Without a token, nothing is answered`(call: DeviceCall) throws {
        let path = call.path(version: DeviceProtocol.versions.newest).joined(separator: "/")
        let request = HTTPRequest("POST", "/\(path)")
        let response = DeviceService(store).respond(to: request, request.path.dropFirst())
        #expect(response.status == 401 && response.headers["WWW-Authenticate"] == "Bearer")
    }

    @Test(arguments: DeviceCall.allCases)
    func `Any body is answered, and none that makes no sense with success`(call: DeviceCall) throws {
        let path = call.path(version: DeviceProtocol.versions.newest).dropFirst().joined(separator: "/")
        for body in ["", "[", "null", "{\"x\":1}", String(repeating: "[", count: 10_000), "\u{0}"] {
            let status = respond("POST", path, body).status
            #expect((200..<600).contains(status))
            if call == .submit || call == .products { #expect(status == 400) }
        }
        #expect(respond(call == .updates ? "POST" : "GET", path).status == 405)
    }

    private func commands(_ numbers: [Int], quantity: Int = 1) throws -> String {
        let journal = JournalID(rawValue: 7)
        let payment = StorePayment(productIdentifier: "sword", quantity: quantity)
        let commands = numbers.map { StoreCommand(.purchase(payment), in: journal, number: $0) }
        return String(decoding: try JSONEncoder().encode(commands), as: UTF8.self)
    }

    @Test func `What no queue sends is refused before anything is sold`() throws {
        #expect(respond("POST", "2/submit", try commands([])).status == 400)
        #expect(respond("POST", "2/submit", try commands([2, 1])).status == 400)
        #expect(respond("POST", "2/submit", try commands([0])).status == 400)
        #expect(respond("POST", "2/submit", try commands([1], quantity: 0)).status == 400)
        #expect(respond("POST", "2/submit", try commands(Array(1...DeviceProtocol.mostCommands + 1))).status == 400)
        #expect(try store.transactions.isEmpty)
        #expect(respond("POST", "2/submit", try commands(Array(1...DeviceProtocol.mostCommands))).status == 200)
        #expect(try store.transactions.count == DeviceProtocol.mostCommands)
    }

    @Test func `Commands of an earlier launch go with those of this one`() throws {
        func purchase(_ journal: UInt64, _ number: Int) -> StoreCommand {
            let payment = StorePayment(productIdentifier: "sword", quantity: 1)
            return StoreCommand(.purchase(payment), in: JournalID(rawValue: journal), number: number)
        }
        func respond(_ commands: StoreCommand...) throws -> HTTPResponse {
            self.respond("POST", "2/submit", String(decoding: try JSONEncoder().encode(commands), as: UTF8.self))
        }
        #expect(try respond(purchase(7, 125), purchase(8, 4), purchase(7, 125)).status == 400)
        #expect(try store.transactions.isEmpty)
        #expect(try respond(purchase(7, 125), purchase(7, 126), purchase(8, 4), purchase(8, 23)).status == 200)
        #expect(try store.transactions.count == 4)
    }

    @Test func `More identifiers than a store takes are refused`() throws {
        let many = (0...DeviceProtocol.mostIdentifiers).map { "\"p\($0)\"" }.joined(separator: ",")
        #expect(respond("POST", "2/products", "[\(many)]").status == 400)
        let hidden = (0...DeviceProtocol.mostIdentifiers).map { "\"p\($0)\":false" }.joined(separator: ",")
        for change in [
            #""order","productIdentifiers":[\#(many)]"#, #""only","productIdentifiers":[\#(many)]"#,
            #""only","productIdentifiers":["a"],"visibility":{\#(hidden)}"#,
        ] {
            #expect(respond("POST", "2/change-promotion", "{\"type\":\(change)}").status == 400)
        }
        let few = #"{"type":"only","productIdentifiers":["a"],"visibility":{"b":false}}"#
        #expect(respond("POST", "2/change-promotion", few).status == 200)
    }

    @Test(arguments: ["", "journal=7", "journal=00000000000000zz", "journal=0000000000000007&position=x"])
    func `A stream needs a journal, and a cursor of numbers`(query: String) {
        #expect(respond("GET", "2/updates?\(query)").status == 400)
    }

    @Test func `Many commands go in several requests, in their order`() throws {
        let journal = JournalID(rawValue: 7)
        let commands = (1...600).map { StoreCommand(.finish(transaction: "\($0)"), in: journal, number: $0) }
        let parts = try SubmissionParts(commands.map(EncodedCommand.init)).map(\.body)
        let read = try parts.map { try JSONDecoder().decode([StoreCommand].self, from: $0) }
        #expect(read.map(\.count) == [256, 256, 88])
        #expect(Array(read.joined()) == commands)
        let nines = String(repeating: "9", count: DeviceProtocol.submissionSize)
        let long = StoreCommand(.finish(transaction: nines), in: journal, number: 601)
        let mixed = try [commands[0], long, commands[1], commands[2]].map(EncodedCommand.init)
        #expect(SubmissionParts(mixed).map(\.count) == [1, 1, 2])
        #expect(SubmissionParts(mixed).allSatisfy { $0.count == 1 || $0.body.count <= DeviceProtocol.submissionSize })
    }

    @Test func `A store says how long a request may be`() throws {
        var limits = DeviceService.Limits()
        limits.bodySize = 5_000
        let headers = ["Authorization": "Bearer \(token.text)"]
        let body = Data(try greeting(DeviceProtocol.versions).utf8)
        let request = HTTPRequest("POST", "/device/hello", headers: headers, body: body)
        let response = DeviceService(store, limits: limits).respond(to: request, request.path.dropFirst())
        #expect(try JSONDecoder().decode(Welcome.self, from: response.body).bodySize == 5_000)
    }
}

@Suite struct LineSplitterTests {
    @Test(arguments: [[10], [4, 6], [9, 1]])
    func `A line of as many bytes as allowed is passed on`(pieces: [Int]) throws { #expect(try lines(pieces) == [10]) }

    @Test(arguments: [[11], [4, 7], [10, 10]])
    func `A longer line is refused, also where its end has come`(pieces: [Int]) {
        #expect(throws: LineSplitter.TooLong.self) { try lines(pieces) }
    }

    /// Returns the lengths of the lines, of at most 10 bytes, that come in pieces with the end of a line behind the last.
    private func lines(_ pieces: [Int]) throws -> [Int] {
        var splitter = LineSplitter(limit: 10)
        var lengths: [Int] = []
        for (index, count) in pieces.enumerated() {
            let end = Data((index == pieces.count - 1 ? "\n" : "").utf8)
            try splitter.take(Data(repeating: 0x20, count: count) + end) { lengths.append($0.count) }
        }
        return lengths
    }
}
