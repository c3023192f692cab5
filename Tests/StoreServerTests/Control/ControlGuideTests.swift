import Foundation
import StoreCore
import StoreCrypto
import StoreScenario
import Testing

@testable import StoreServer

/// The text for coding assistants at `/llms.txt`.
@Suite(.libcrypto) struct ControlGuideTests {
    private let guide = ControlGuide.text

    @Test func `The guide is short`() {
        let lines = guide.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 60)
        #expect(lines.allSatisfy { $0.count <= 130 })
    }

    @Test func `Each call that the guide names is in the description`() throws {
        let paths = try JSON(data: Data(ControlDescription.json.encoded.utf8)).paths
        let calls = guide.matches(of: #/`([A-Z]+) \/control\/v1(\/[^`\s]+)`/#)
        #expect(calls.count >= 12)
        for call in calls {
            let (method, path) = (call.1.lowercased(), String(call.2))
            // The description lists commands one by one.
            if path == "/commands/{command}" { continue }
            #expect(paths[path].keys.contains(method), "\(call.0)")
        }
    }

    @Test func `The guide names each kind of product`() {
        for kind in SandboxProduct.Kind.allCases { #expect(guide.contains(kind.rawValue), "\(kind)") }
    }

    @Test func `The guide names each member of a store and of its products`() {
        let store = TestStoreOrder.CodingKeys.allCases.map(\.stringValue)
        let product = TestStoreProduct.CodingKeys.allCases.map(\.stringValue)
        for member in store + product { #expect(guide.contains("`\(member)`"), "\(member)") }
    }

    @Test func `Each command that the guide names exists`() throws {
        let heading = try #require(guide.range(of: "/commands/...\n\n- "))
        let names = try #require(guide[heading.upperBound...].split(separator: "\n").first).split(separator: ", ")
        #expect(names.count > 8)
        for name in names { #expect(ScenarioCommand.named(String(name)) != nil, "\(name)") }
    }

    @Test func `The guide needs no token, and is nowhere without the control interface`() throws {
        let shop = try ConsoleShop()
        let router = ServerRouter(shop.shop.store, key: shop.shop.key, control: shop.control)
        let response = router.respond(to: HTTPRequest("GET", "/llms.txt"))
        #expect(response.status == 200 && response.body == Data(guide.utf8))
        #expect(router.respond(to: HTTPRequest("POST", "/llms.txt")).status == 405)
        #expect(router.respond(to: HTTPRequest("GET", "/sandbox/llms.txt")).status == 404)
        #expect(shop.shop.router.respond(to: HTTPRequest("GET", "/llms.txt")).status == 404)
    }

    @Test(.microHTTPD, .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "install curl"))
    func `The guide's example works as it stands`() throws {
        var configuration = StoreServer.Configuration()
        configuration.hasControl = true
        let server = try StoreServer(try SandboxStore(), configuration: configuration)
        let start = try #require(guide.range(of: "```sh\n"))
        let end = try #require(guide.range(of: "\n```", range: start.upperBound..<guide.endIndex))
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-e", "-c", String(guide[start.upperBound..<end.lowerBound])]
        process.environment = [
            "URL": String(server.url.absoluteString.dropLast()), "TOKEN": try #require(server.controlToken),
            "PATH": "/usr/bin:/bin",
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(text.contains(#""product":"pro""#) && text.contains(#""type":"DID_RENEW""#), "\(text)")
    }
}
