import Foundation
import StoreCrypto
import StoreSQLite
import StoreServer
import Testing

/// The article "Test your server against an App Store of your own", as a backend engineer follows it.
@MainActor
@Suite(
    .enabled(if: MicroHTTPD.isAvailable && SQLite.isAvailable && Libcrypto.isAvailable, "a library is missing"),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "install curl")
)
struct AppStoreOfYourOwnTests {
    private let article: Article
    private let directory: Directory
    private let service: Service
    private let port: Int

    init() throws {
        article = try Article("AnAppStoreOfYourOwn.md")
        directory = try Directory()
        let shop = try #require(article.fences.first { $0.language == "json" })
        _ = try directory.write("Shop.storekit", shop.lines.joined(separator: "\n"))
        let words = try #require(article.fences.first { $0.language == "text" }).lines[0].split(separator: " ")
        try #require(words.prefix(2) == ["sandbox-store", "serve"])
        // At a free port, and with nobody who takes notifications.
        let arguments = words.dropFirst(2).map {
            $0 == "8080" ? "0" : String($0).replacing(":8081/", with: ":9/")
        }
        service = try Service(arguments, in: directory)
        port = try #require(try service.url.port)
    }

    @Test func `A purchase, a year and a refund print what the article shows`() throws {
        let console = try #require(article.fences.first { $0.language == "console" })
        let shown = DocumentedOutputTests.commands(in: console.lines, of: "curl")
        #expect(shown.count == 4)
        for (command, output) in shown {
            let printed = try curl(command.joined(separator: " "))
            #expect(printed.split(separator: "\n").map(String.init) == output, "\(command)")
        }
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `A store is made of the body that the article shows`() throws {
        let body = try #require(article.fences.last { $0.language == "json" })
        _ = try directory.write("body.json", body.lines.joined(separator: "\n"))
        let address = "http://127.0.0.1:8080/control/v1/stores"
        let answer = try curl("-s -w '%{http_code}' -d @body.json -H \"Authorization: Bearer $TOKEN\" \(address)")
        #expect(answer.hasSuffix("201"), "\(answer)")
        // The response has what the table says.
        let rows = try Article.text("AnAppStoreOfYourOwn.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == 5)
        for name in rows.joined().matches(of: #/`(\w+)`/#).map(\.1) { #expect(answer.contains("\"\(name)\":")) }
        #expect(service.end(SIGTERM) == 0)
    }

    /// Runs curl as the article does, and returns what it prints.
    private func curl(_ arguments: String) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        let line = "curl \(arguments)".replacing(":8080/", with: ":\(port)/")
        process.arguments = ["-c", "TOKEN=$(cat keys/control-\(port).token); \(line)"]
        process.currentDirectoryURL = directory.url
        process.standardOutput = pipe
        try process.run()
        let printed = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return printed
    }
}
