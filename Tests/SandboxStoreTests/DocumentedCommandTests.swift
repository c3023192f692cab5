import Foundation
import StoreCore
import StoreCrypto
import StoreSQLite
import StoreServer
import Testing

@testable import sandbox_store

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The command lines that articles show.
@MainActor
@Suite struct DocumentedCommandTests {
    private static let articles = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/StoreCore/StoreCore.docc/Articles").standardized

    /// Returns the arguments of each `sandbox-store` in the fences of an article, or of one of its sections.
    private static func commands(in article: String, section: String? = nil) throws -> [[String]] {
        let text = try String(contentsOf: articles.appending(path: article), encoding: .utf8)
        var (isFence, isSection) = (false, section == nil)
        var commands: [[String]] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("```") { isFence = ["```bash", "```console"].contains(line) }
            if let section, line.hasPrefix("## ") { isSection = line == "## \(section)" }
            guard isFence, isSection else { continue }
            let words = line.split(separator: " ").map(String.init)
            // Behind the prompt, or behind `swift run` and its options.
            guard let name = words.firstIndex(of: "sandbox-store"), ["$", "swift", words[name]].contains(words[0])
            else { continue }
            commands.append(Array(words[(name + 1)...]))
        }
        return commands
    }

    @Test(
        arguments: [
            "AStoreForATeam.md", "DevicesElsewhere.md", "Scenarios.md", "ControllingAStore.md", "SpoilingTheWire.md",
        ]
    )
    func `Each makes sense`(article: String) throws {
        let commands = try Self.commands(in: article)
        #expect(!commands.isEmpty)
        for command in commands {
            #expect(throws: Never.self, "\(command)") { _ = try Command(command) }
        }
    }

    @Test(.enabled(if: MicroHTTPD.isAvailable && SQLite.isAvailable && Libcrypto.isAvailable, "a library is missing"))
    func `From nothing to a purchase on a device elsewhere`() async throws {
        let directory = try Directory()
        try FileManager.default.copyItem(
            at: SandboxStoreTool.demoFile,
            to: directory.url.appending(path: "Shop.storekit")
        )
        let commands = try Self.commands(in: "DevicesElsewhere.md", section: "From nothing to a purchase")
        try #require(commands.map { $0.first == "serve" } == [false, false, true, true])
        var outputs: [String] = []
        for command in commands.prefix(2) {
            let process = Process()
            let output = Pipe()
            process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent()
                .appending(path: "sandbox-store")
            process.arguments = command
            process.currentDirectoryURL = directory.url
            process.standardOutput = output
            try process.run()
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(command)")
            outputs.append(String(decoding: text, as: UTF8.self))
        }
        #expect(outputs[0].contains("subscription_silver"))
        let token = try #require(outputs[1].split(separator: "\n").last)

        let own = try Service(Self.atFreePort(commands[2]), in: directory)
        #expect(own.line.hasPrefix("serving at http://127.0.0.1:"))
        var request = URLRequest(url: try own.url.appending(path: "device/2/products"))
        request.httpMethod = "POST"
        request.httpBody = Data(#"["consumable"]"#.utf8)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (data, _) = try await URLSession.shared.data(for: request)
        #expect(try JSONDecoder().decode(ProductsAnswer.self, from: data).products.map(\.identifier) == ["consumable"])
        #expect(own.end(SIGTERM) == 0)

        let open = try Service(Self.atFreePort(commands[3]), in: directory)
        #expect(open.line.hasPrefix("serving at https://0.0.0.0:"))
        #expect(open.end(SIGTERM) == 0)
    }

    /// Returns a `serve` at a port that nobody has on this machine.
    private static func atFreePort(_ command: [String]) throws -> [String] {
        var arguments = command.dropFirst()
        let place = try #require(arguments.firstIndex(of: "--port"))
        arguments[place + 1] = "0"
        return Array(arguments)
    }
}
