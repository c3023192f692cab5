import Foundation
import StoreScenario
import StoreServer
import TestSupport
import Testing

/// Answers of the control interface as each version gave them.
///
/// A file's name has the interface's version and the day. Each line is a request; the next one has the status and the answer,
/// with null for what differs from run to run. `GOLDEN=1 swift test --filter Golden` writes a file of today.
@Suite(.libcrypto) struct GoldenControlTests {
    private static let golden = GoldenFolder()
    private static let names = golden.names("control-", ".txt")

    private static let requests = [
        #"POST /commands {"line": "buy coins --quantity 2"}"#, #"POST /commands/buy {"product": "gold"}"#,
        #"POST /commands/buy {"product": "sword"}"#, #"POST /commands/refund {"transaction": "3"}"#,
        #"POST /commands/buy {"product": "coin"}"#, #"POST /commands/buy {"product": "season", "ask": true}"#,
        #"POST /commands/advance {"duration": "1mo"}"#, #"POST /commands/finish {"transaction": "1"}"#,
        #"POST /failures {"verification": 21009, "times": 2}"#, "DELETE /failures", "GET /", "GET /transactions",
        "GET /transactions?product=coins", "GET /transactions/1", "GET /transactions/99", "GET /subscriptions",
        "GET /accounts", "GET /devices", "GET /products?limit=2", "GET /names/product", "GET /notifications",
        "GET /deliveries", "GET /delivery", "GET /requests", "GET /waiting", "GET /server", "GET /stores",
        "GET /nowhere", "DELETE /transactions",
    ]

    /// Returns the status and the answer to a request.
    private func ask(_ shop: ConsoleShop, _ request: String) throws -> (status: Int, body: Data) {
        let parts = request.split(separator: " ", maxSplits: 2).map(String.init)
        let path = parts[1] == "/" ? "" : parts[1]
        let body = Data((parts.count > 2 ? parts[2] : "").utf8)
        let request = HTTPRequest(parts[0], "/control/v1\(path)", headers: shop.headers, body: body)
        let response = shop.control.respond(to: request, request.path.dropFirst())
        return (response.status, response.body.isEmpty ? Data("null".utf8) : response.body)
    }

    @Test(arguments: names) func `What was answered is answered still, perhaps with more`(name: String) throws {
        let shop = try ConsoleShop()
        let lines = try Self.golden.lines("\(name).txt")
        #expect(lines.count >= 40)
        for index in stride(from: 0, to: lines.count - 1, by: 2) {
            let expected = lines[index + 1].split(separator: " ", maxSplits: 1).map(String.init)
            let (status, body) = try ask(shop, lines[index])
            #expect(String(status) == expected[0], "\(lines[index])")
            let loss = try KeptJSON.loss(of: Data(expected[1].utf8), in: body)
            #expect(loss == nil, "\(lines[index]): \(loss ?? "")")
        }
    }

    /// The version in the interface's address, as in `/control/v1`.
    private static func version() throws -> Substring {
        let address = try #require(JSON(data: Data(ControlDescription.json.encoded.utf8)).servers[0].url.text)
        return try #require(address.firstMatch(of: #/^\/control\/v(\d+)$/#)).1
    }

    @Test func `There is a file of the present version`() throws {
        let version = try Self.version()
        #expect(
            Self.names.contains { $0.hasPrefix("control-\(version)-") },
            "write it: GOLDEN=1 swift test --filter Golden"
        )
    }

    @Test(.writesGolden) func `Today's answers are written`() throws {
        let shops = [try ConsoleShop(), try ConsoleShop()]
        var text = ""
        for request in Self.requests {
            let answers = try shops.map { try ask($0, request) }
            let common = try KeptJSON.common(answers[0].body, answers[1].body)
            text += "\(request)\n\(answers[0].status) \(String(decoding: common, as: UTF8.self))\n"
        }
        try Self.golden.write(text, to: "control-\(Self.version())-\(GoldenFolder.today).txt")
    }
}
