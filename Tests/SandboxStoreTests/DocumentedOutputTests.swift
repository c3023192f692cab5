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

/// What the articles show of the tool's output is what it prints.
@MainActor
@Suite struct DocumentedOutputTests {
    private let directory: Directory

    init() throws { directory = try Directory() }

    @Test func `A store in a file prints what "Scenarios" shows`() throws {
        let article = try Article("Scenarios.md")
        let scenario = try #require(article.fences.first { $0.language == "text" })
        _ = try directory.write("refunds.scenario", scenario.lines.joined(separator: "\n"))
        _ = try directory.write("Shop.storekit", Self.shop)
        let console = try #require(article.fences.first { $0.language == "console" })
        let shown = Self.commands(in: console.lines)
        #expect(shown.count == 4)
        for (command, output) in shown { #expect(try print(command) == output, "\(command)") }
    }

    @Test func `A scenario prints what "Retention messages" shows`() throws {
        let fences = try Article("RetentionMessages.md").fences
        let scenario = try #require(fences.first { $0.language == "text" })
        _ = try directory.write("stay.scenario", scenario.lines.joined(separator: "\n"))
        _ = try directory.write("Shop.storekit", Self.shop)
        let shown = Self.commands(in: try #require(fences.first { $0.language == "console" }).lines)
        #expect(shown.count == 1)
        for (command, output) in shown { #expect(try print(command) == output, "\(command)") }
    }

    @Test func `Help is what "Scenarios" shows`() throws {
        let fences = try Article("Scenarios.md").fences
        let shown = try #require(fences.first { $0.lines.first?.hasPrefix("sandbox-store: ") == true })
        #expect(Run("--help").output == shown.lines.map { "\($0)\n" }.joined())
    }

    @Test func `A verified receipt prints what "Receipts" shows`() throws {
        let receipt = TransactionReceipt(
            productIdentifier: "sword",
            transactionIdentifier: "1",
            purchaseDate: Date(timeIntervalSince1970: 1_735_689_600),
            bundleIdentifier: "com.example.app",
            bundleVersion: "1.0"
        )
        let signer = HMACReceiptSigner(key: Data("for tests only".utf8))
        _ = try directory.write("receipt.txt", receipt.data(signedBy: signer).base64EncodedString())
        _ = try directory.write("store.key", "for tests only")
        let article = try Article("Receipts.md")
        let fence = try #require(article.fences.first { $0.lines.first?.hasPrefix("$ sandbox-store verify") == true })
        let (command, output) = try #require(Self.commands(in: fence.lines).first)
        #expect(output.last == "…")
        #expect(Array(try print(command).prefix(output.count - 1)) == output.dropLast())
    }

    @Test(.enabled(if: MicroHTTPD.isAvailable && SQLite.isAvailable && Libcrypto.isAvailable, "a library is missing"))
    func `A served store prints what "The store in a browser" shows`() throws {
        _ = try directory.write("Shop.storekit", Self.shop)
        let article = try Article("TheStoreInABrowser.md")
        let lines = try #require(article.fences.first { $0.language == "text" }).lines
        let words = lines[0].split(separator: " ").map(String.init)
        let serve = try #require(words.firstIndex(of: "serve"))
        let service = try Service(Array(words[(serve + 1)...]), in: directory)
        let printed = service.line.split(separator: "\n").map(Self.withoutChance)
        #expect(printed == lines.dropFirst().map(Self.withoutChance))
        #expect(service.end(SIGTERM) == 0)
    }

    @Test(
        .enabled(if: MicroHTTPD.isAvailable && SQLite.isAvailable && Libcrypto.isAvailable, "a library is missing"),
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "install curl")
    )
    func `A controlled store answers curl as "Controlling a store" shows`() async throws {
        _ = try directory.write("Shop.storekit", Self.shop)
        let article = try Article("ControllingAStore.md")
        let start = try #require(article.fences.first { $0.language == "text" }).lines[0].split(separator: " ")
        let serve = try #require(start.firstIndex(of: "serve"))
        let receiver = try HTTPServer { _ in HTTPResponse(200) }
        let arguments = start[(serve + 1)...].dropLast(2).map {
            String($0).replacing(":9000/", with: ":\(receiver.port)/")
        }
        let service = try Service(arguments, in: directory)
        let port = try #require(try service.url.port)
        let token = directory.url.appending(path: "keys/control-\(port).token")
        let attributes = try FileManager.default.attributesOfItem(atPath: token.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let consoles = article.fences.filter { $0.language == "console" }
        #expect(consoles.map(\.lines.count) == [6, 5, 6])
        for console in consoles {
            let isTool = console.lines.first?.hasPrefix("$ sandbox-store") == true
            for (command, output) in Self.commands(in: console.lines, of: isTool ? "sandbox-store" : "curl") {
                // Notifications are sent while the next command is performed: two of each fence before, and one twice.
                if command.contains(where: { $0.contains("/deliveries") }) {
                    let lines = (1...6).compactMap { _ in service.nextLine() }
                    let log = try #require(article.fences.last { $0.language == "text" }).lines
                    #expect(lines.prefix(2).map(Self.withoutChance) == log.map(Self.withoutChance))
                    #expect(lines.count == 6)
                }
                let printed = isTool ? try perform(command, port) : try curl(command, port)
                #expect(printed == output.map(Self.withoutChance), "\(command)")
            }
        }
        // The description of a store for a test, and a product of another.
        let descriptions = article.fences.filter { $0.language == "json" }.map { $0.lines.joined(separator: "\n") }
        try #require(descriptions.count == 2)
        for order in [descriptions[0], "{\"products\": [\(descriptions[1])]}"] {
            var request = URLRequest(url: try service.url.appending(path: "control/v1/stores"))
            request.httpMethod = "POST"
            request.httpBody = Data(order.utf8)
            request.setValue(
                "Bearer \(try String(contentsOf: token, encoding: .utf8))",
                forHTTPHeaderField: "Authorization"
            )
            let (answer, response) = try await URLSession.shared.data(for: request)
            #expect((response as? HTTPURLResponse)?.statusCode == 201, "\(String(decoding: answer, as: UTF8.self))")
        }
        #expect(service.end(SIGTERM) == 0)
        #expect(!FileManager.default.fileExists(atPath: token.path))
    }

    /// Runs the tool with the port of a server, and returns what it printed.
    private func perform(_ command: [String], _ port: Int) throws -> [String] {
        let arguments = command.map { $0.replacing(":8080", with: ":\(port)") }
        let run = try runProgram(arguments, in: directory.url, environment: directory.environment)
        return (run.complaints + run.output).split(separator: "\n").map(Self.withoutChance)
    }

    /// Runs curl with the port of a server, and returns what it printed.
    private func curl(_ command: [String], _ port: Int) throws -> [String] {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        let line = "curl \(command.joined(separator: " "))".replacing(":8080/", with: ":\(port)/")
        process.arguments = ["-c", "TOKEN=$(cat keys/control-\(port).token); \(line)"]
        process.currentDirectoryURL = directory.url
        process.standardOutput = pipe
        try process.run()
        let printed = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return printed.split(separator: "\n").map(Self.withoutChance)
    }

    /// A line with what is another each time left out: ports, folders, keys, issuers, tokens and times.
    private static func withoutChance(_ line: some StringProtocol) -> String {
        String(line)
            .replacing(#/127\.0\.0\.1:\d+/#, with: "127.0.0.1:…")
            .replacing(#/ \/\S*\/keys\//#, with: " …/keys/")
            .replacing(#/AuthKey_\w+/#, with: "AuthKey_…")
            .replacing(#/issuer [^,]+/#, with: "issuer …")
            .replacing(#/token=\S+/#, with: "token=…")
            .replacing(#/control-\d+/#, with: "control-…")
            .replacing(#/\d{4}-\d\d-\d\dT[\d:]+Z/#, with: "…")
            .replacing(#/[\da-f]{8}-[\da-f-]{27}/#, with: "…")
    }

    /// The commands behind prompts, each with the lines up to the next.
    static func commands(
        in lines: [String],
        of program: String = "sandbox-store"
    ) -> [(command: [String], output: [String])] {
        var commands: [(command: [String], output: [String])] = []
        for line in lines {
            if line.hasPrefix("$ \(program) ") {
                commands.append((line.split(separator: " ").dropFirst(2).map(String.init), []))
            } else {
                commands[commands.count - 1].output.append(line)
            }
        }
        return commands
    }

    /// Runs the tool as it is installed, and returns the lines that it prints.
    private func print(_ arguments: [String]) throws -> [String] {
        let (output, _, code) = try runProgram(arguments, in: directory.url)
        #expect(code == 0, "\(arguments)")
        return output.split(separator: "\n").map(String.init)
    }

    /// A file that sells a monthly subscription for 4.99.
    static let shop = """
        {
          "identifier" : "5A1F0D3C",
          "nonRenewingSubscriptions" : [], "products" : [], "settings" : {},
          "subscriptionGroups" : [ {
            "id" : "1B2C3D4E", "localizations" : [], "name" : "Pro",
            "subscriptions" : [ {
              "adHocOffers" : [], "codeOffers" : [], "displayPrice" : "4.99", "familyShareable" : false,
              "groupNumber" : 1, "internalID" : "6F7A8B9C", "introductoryOffer" : null, "localizations" : [],
              "productID" : "pro.monthly", "recurringSubscriptionPeriod" : "P1M", "referenceName" : "Pro, monthly",
              "subscriptionGroupID" : "1B2C3D4E", "type" : "RecurringSubscription"
            } ]
          } ],
          "version" : { "major" : 3, "minor" : 0 }
        }
        """
}

/// The fences of an article.
struct Article {
    let fences: [(language: String, lines: [String])]

    /// The whole text of an article.
    static func text(_ name: String) throws -> String {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/StoreCore/StoreCore.docc/Articles/\(name)").standardized
        return try String(contentsOf: url, encoding: .utf8)
    }

    init(_ name: String) throws {
        let parts = try Self.text(name).components(separatedBy: "\n```")
        // Every second part is inside a fence.
        fences = stride(from: 1, to: parts.count, by: 2).map { index in
            let lines = parts[index].split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            return (lines[0], Array(lines.dropFirst()))
        }
    }
}
