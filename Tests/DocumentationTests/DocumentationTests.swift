import Foundation
import Testing

/// What the documents show is compiled: each line of Swift in them also stands in a file that a compiler sees.
@Suite struct DocumentationTests {
    static let articles = ["README.md"] + Document.paths(under: "Sources/StoreCore/StoreCore.docc", endingIn: ".md")
    static let sources = Document.paths(under: "Sources", endingIn: ".swift")

    /// The files of this target, the gallery of mistakes, and the package that `.ci/run` builds as a client.
    static let compiled: [[String]] = {
        let paths =
            Document.paths(under: "Tests/DocumentationTests", endingIn: ".swift")
            .filter { $0.contains("/Examples") } + ["Tests/StoreEndToEndTests/Shop.swift"]
            + Document.paths(under: ".ci/client", endingIn: ".swift")
            + Document.paths(under: "Tests/Programs/AppGallery", endingIn: ".swift")
        return paths.map { path in
            let lines = (try? Document.text(path))?.split(separator: "\n") ?? []
            return lines.map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }()

    @Test(arguments: articles) func `Swift that an article shows is compiled`(path: String) throws {
        for fence in try Document(path).fences where fence.language == "swift" {
            expectCompiled(fence, path)
        }
    }

    @Test func `Each line that does what a test can make happen is compiled`() throws {
        let rows = try Document.text("Sources/StoreCore/StoreCore.docc/Articles/WhatATestCanMakeHappen.md")
            .split(separator: "\n")
            .filter { $0.hasSuffix("` |") }
        #expect(rows.count > 40)
        for row in rows {
            let cell = try #require(row.dropLast(2).split(separator: "|").last)
            let line = cell.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            #expect(Self.compiled.contains { $0.contains(line) }, "\(line)")
        }
    }

    @Test func `Each act in the table of notifications is told as its row says`() throws {
        let rows = try Document.text("Sources/StoreCore/StoreCore.docc/Articles/ServerNotifications.md")
            .split(separator: "\n")
            .filter { $0.hasSuffix("` |") }
        #expect(rows.count > 25)
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            let (words, line) = try (#require(cells.dropFirst().first), #require(cells.last))
            let quoted = words.replacing(", ", with: "\", \"")
            #expect(Self.compiled.contains { $0.contains(["try world.told(\"\(quoted)\") {", line]) }, "\(row)")
        }
    }

    @Test(arguments: ["RunningItForReal", "DevicesElsewhere"])
    func `Each promise names tests that there are`(article: String) throws {
        let files = Document.paths(under: "Tests", endingIn: "Tests.swift")
        let tests = try files.map { try Document.text($0) }
        let lines = try Document.text("Sources/StoreCore/StoreCore.docc/Articles/\(article).md").split(separator: "\n")
        let head = try #require(lines.firstIndex { $0.hasPrefix("| What") && $0.hasSuffix("| Test |") })
        let rows = lines[(head + 2)...].prefix { $0.hasPrefix("|") }
        #expect(rows.count > 7)
        for row in rows {
            let cell = try #require(row.split(separator: "|").last)
            let suites = cell.matches(of: #/`(\w+Tests)`(: ([^…,]+) …)?/#)
            #expect(!suites.isEmpty, "\(row)")
            for suite in suites {
                // Targets may have suites of one name.
                let named = zip(files, tests).filter { $0.0.hasSuffix("/\(suite.1).swift") }
                #expect(named.contains { $0.1.contains(suite.3.map { "`\($0)" } ?? "`") }, "\(suite.0)")
            }
        }
    }

    @Test func `Swift that a doc comment shows is compiled`() throws {
        for path in Self.sources {
            for fence in try Document(path).fences where fence.language == "swift" { expectCompiled(fence, path) }
        }
    }

    @Test(arguments: articles) func `Every fence says its language`(path: String) throws {
        for fence in try Document(path).fences {
            #expect(["swift", "bash", "console", "text", "json"].contains(fence.language), "\(path):\(fence.line)")
        }
    }

    /// Who compares the fences of an article that hold no Swift and no commands, or why there is nothing to compare.
    private static let outputs: [String: (fences: Int, judge: String)] = [
        "AMatrixOfYourServer.md": (5, ".ci/matrix.py"),
        "AnAppStoreInBash.md": (6, "Tests/DocumentationTests/SampleTests.swift"),
        "AnAppStoreInJava.md": (5, "Tests/DocumentationTests/SampleTests.swift"),
        "AnAppStoreInNode.md": (6, "Tests/DocumentationTests/SampleTests.swift"),
        "AnAppStoreInPython.md": (6, "Tests/DocumentationTests/SampleTests.swift"),
        "AnAppStoreOfYourOwn.md": (4, "Tests/SandboxStoreTests/AppStoreOfYourOwnTests.swift"),
        "AppSimulation.md": (1, "Tests/DocumentationTests/ExamplesAppSimulation.swift"),
        "Architecture.md": (10, ".ci/rooms"),
        "BillingTrouble.md": (1, "Tests/DocumentationTests/ExamplesBilling.swift"),
        "ControllingAStore.md": (7, "Tests/SandboxStoreTests/DocumentedOutputTests.swift"),
        "ProvingYourBackend.md": (2, "Tests/DocumentationTests/ExamplesProving.swift"),
        "PurchaseMistakes.md": (17, "Tests/DocumentationTests/MistakesTests.swift"),
        "PurchaseMistakesStoreKit2.md": (16, "Tests/DocumentationTests/MistakesTests.swift"),
        "Receipts.md": (1, "Tests/SandboxStoreTests/DocumentedOutputTests.swift"),
        "README.md": (1, "Tests/DocumentationTests/ExamplesReadmeSimulation.swift"),
        "RetentionMessages.md": (2, "Tests/SandboxStoreTests/DocumentedOutputTests.swift"),
        "RunningItForReal.md": (2, "input: a connection string and SQL"),
        "Scenarios.md": (4, "Tests/SandboxStoreTests/DocumentedOutputTests.swift"),
        "SimulatingYourServer.md": (5, "Tests/StoreServerTests/Simulation/ServerSimulationTests.swift"),
        "Simulator.md": (2, "input: commands"),
        "TestingBoth.md": (3, "Tests/StoreEndToEndTests/EndToEndTests.swift"),
        "TestingYourReceiptServer.md": (3, "input: programs for other libraries"),
        "TestingYourServer.md": (3, "input: programs for other libraries"),
        "TheSocketAsJSON.md": (43, "Tests/StoreRemoteTests/Wire/SchemaTests.swift"),
        "TheStoreInABrowser.md": (1, "Tests/SandboxStoreTests/DocumentedOutputTests.swift"),
        "WhatATestCanMakeHappen.md": (1, "Tests/SandboxStoreTests/DemoTests.swift"),
        "WhatHappened.md": (1, "Tests/DocumentationTests/ExamplesHistory.swift"),
        "WhatRealStoresDo.md": (1, "Tests/DocumentationTests/ExamplesQuirks.swift"),
        "WritingABackend.md": (3, "input: drawings and a module map"),
    ]

    @Test(arguments: articles) func `Each output that an article shows is compared with what is printed`(
        path: String
    ) throws {
        let name = URL(fileURLWithPath: path).lastPathComponent
        let fences = try Document(path).fences.filter { ["text", "console", "json"].contains($0.language) }
        #expect(fences.count == Self.outputs[name]?.fences ?? 0, "\(path): say in `outputs` who compares what it shows")
        guard let judge = Self.outputs[name]?.judge, !judge.hasPrefix("input: ") else { return }
        let text = try Document.text(judge)
        #expect(text.contains(name) || text.contains("/\(name.prefix(16))"), "\(judge) does not read \(name)")
    }

    @Test func `The commands that README names are run by CI`() throws {
        let script = try Document.text(".ci/run").split(separator: "\n").filter { $0.hasPrefix("step ") }
        let readme = try Document("README.md")
        let inFences = readme.fences.filter { ["bash", "console"].contains($0.language) }.flatMap(\.runs).joined()
        // In running text too.
        let inText = try Document.text("README.md").matches(of: #/`(swift (?:run|test) [^`]+)`/#).map { String($0.1) }
        let commands = inFences + inText
        #expect(inFences.count == 2 && inText.count > 1)
        for command in commands {
            let command = command.hasPrefix("$ ") ? String(command.dropFirst(2)) : command
            #expect(script.contains { $0.hasSuffix(" \(command)") }, "\(command)")
        }
    }

    @Test func `README is short, and its figures are those of its picture`() throws {
        let readme = try Document.text("README.md")
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
        let picture = try Document.text(".github/pictures/figures.svg")
        let description = try #require(picture.firstMatch(of: #/<desc [^>]*>([^<]+)<\/desc>/#)).1
        #expect(readme.contains("![\(description)](.github/pictures/figures.svg)"))
    }

    @Test func `Each source file that contributors are led to is there`() throws {
        let pages =
            ["Sources/StoreCore/StoreCore.docc/Articles/Architecture.md"]
            + Document.paths(under: ".github", endingIn: ".md")
        let files = Set(
            ["Sources", "Tests"].flatMap { Document.paths(under: $0, endingIn: ".swift") }.compactMap {
                $0.split(separator: "/").last
            } + ["Package.swift"]
        )
        #expect(pages.count > 20)
        for page in pages {
            // Names in code, but for those of several files.
            for (number, text) in try Document.text(page).split(separator: "`", omittingEmptySubsequences: false)
                .enumerated()
            where number % 2 == 1 && text.hasSuffix(".swift") && !text.contains(where: { "*…".contains($0) })
                && !text.hasPrefix("+")
            {
                #expect(files.contains(text.split(separator: "/").last ?? ""), "\(page): \(text)")
            }
        }
    }

    @Test func `The index leads to every article, and README to the index`() throws {
        let index = try Document.text("Sources/StoreCore/StoreCore.docc/StoreCore.md").split(separator: "\n")
        for path in Document.paths(under: "Sources/StoreCore/StoreCore.docc/Articles", endingIn: ".md") {
            let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            #expect(index.contains("- <doc:\(name)>"), "\(path)")
        }
        #expect(try Document.text("README.md").contains("(Sources/StoreCore/StoreCore.docc/StoreCore.md)"))
    }

    @Test func `Each file that README links is there`() throws {
        let links = try Document.text("README.md").matches(of: #/\]\(([^)#]+)\)/#).map { String($0.1) }
            .filter { !$0.hasPrefix("https:") }
        #expect(links.count > 8)
        for link in links {
            #expect(FileManager.default.fileExists(atPath: Document.root.appending(path: link).path), "\(link)")
        }
    }

    /// The runs of a fence stand one after another in one file, each without a gap.
    private func expectCompiled(_ fence: Document.Fence, _ path: String) {
        let runs = fence.runs
        let isThere = Self.compiled.contains { file in
            var rest = file[...]
            return runs.allSatisfy { run in
                guard let range = rest.firstRange(of: run) else { return false }
                rest = rest[range.upperBound...]
                return true
            }
        }
        #expect(isThere, "\(path):\(fence.line): no example file has these lines")
    }
}
