import Foundation
import StoreServer
import Testing

/// What the article "Versions" promises of the tool, and who says which version this is.
@MainActor
@Suite struct VersionsTests {
    @Test func `The version is three numbers, which the program and the control interface's description print`() throws
    {
        #expect(Version(SoftwareVersion.text) != nil)
        #expect(try runProgram(["--version"]).output == "sandbox-store \(SoftwareVersion.text)\n")
        struct Description: Decodable {
            struct Information: Decodable { let version: String }
            let info: Information
        }
        let description = try runProgram(["openapi"]).output
        let version = try JSONDecoder().decode(Description.self, from: Data(description.utf8)).info.version
        #expect(version == SoftwareVersion.text)
    }

    @Test(arguments: ["README.md", "Sources/StoreCore/StoreCore.docc/Articles/Versions.md"])
    func `Who asks for the version that a document names gets this one`(document: String) throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../\(document)").standardized
        let text = try String(contentsOf: url, encoding: .utf8)
        let asked = text.matches(of: #/from: "([^"]+)"/#).map { String($0.1) }
        #expect(!asked.isEmpty)
        let version = try #require(Version(SoftwareVersion.text))
        for asked in asked {
            let least = try #require(Version(asked))
            #expect(least.major == version.major && !version.precedes(least), "\(asked)")
        }
    }

    @Test func `Each command of the table of exit codes ends with its code`() throws {
        let directory = try Directory()
        _ = try directory.write("Shop.storekit", DocumentedOutputTests.shop)
        _ = try directory.write("notes.txt", "milk, bread")
        _ = try directory.write("castle.scenario", "buy pro.monthly\nbuy castle\n")
        _ = try directory.write("wrong.scenario", "buy pro.monthly\nsell castle\n")
        let rows = try Article.text("Versions.md").matches(of: #/\| `sandbox-store ([^`]+)` \| (\d) \|/#)
        #expect(Set(rows.map(\.2)) == ["0", "1", "2"])
        for row in rows {
            let arguments = row.1.split(separator: " ").map(String.init)
            let run = try runProgram(arguments, in: directory.url, environment: directory.environment)
            #expect("\(run.code)" == row.2, "\(row.1): \(run.complaints)")
        }
    }
}

/// The numbers of a version.
private struct Version {
    let numbers: [Int]

    var major: Int { numbers[0] }

    /// Returns nil for what is not three numbers with dots between them.
    init?(_ text: String) {
        numbers = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard numbers.count == 3, numbers.map(String.init).joined(separator: ".") == text else { return nil }
    }

    func precedes(_ other: Version) -> Bool { numbers.lexicographicallyPrecedes(other.numbers) }
}
