import Foundation
import Testing

@testable import StoreServer

/// The files of the page.
@Suite(.libcrypto) struct ConsolePageTests {
    private let shop: ConsoleShop

    init() throws { shop = try ConsoleShop() }

    private static let paths = ["", "/page.css"] + ConsolePage.modules.keys.sorted().map { "/\($0)" }

    private func text(_ path: String) -> String { String(decoding: shop.respond("GET", path).body, as: UTF8.self) }

    @Test func `Each module of the page and what it imports are served, to whoever has no token`() {
        for path in Self.paths.dropFirst(2) {
            let response = shop.respond("GET", path, headers: ["Host": "127.0.0.1:8080"])
            #expect(response.status == 200 && response.headers["Content-Type"] == "text/javascript; charset=utf-8")
            #expect(response.headers["Content-Security-Policy"]?.contains("script-src 'self'") == true)
            let imported = text(path).matches(of: /from "\.\/([^"]+)"/).map { String($0.1) }
            #expect(Set(imported).subtracting(ConsolePage.modules.keys) == [])
        }
    }

    @Test func `No file of the page loads from elsewhere or makes markup of a text`() {
        for path in Self.paths {
            let text = text(path)
            #expect(!text.contains("http://") && !text.contains("https://"), "\(path)")
            for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
                #expect(!text.contains(sink), "\(path)")
            }
        }
    }

    @Test func `The page has at most 100 KB`() {
        #expect(Self.paths.reduce(0) { $0 + shop.respond("GET", $1).body.count } <= 100 * 1024)
    }
}
