import Foundation
import Testing

@Suite struct MutationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A piece of a patch: the lines that it expects in a file.
    private struct Hunk {
        let file: String
        var old: [String] = []
    }

    private static func hunks(of patch: URL) throws -> [Hunk] {
        var file = ""
        var hunks: [Hunk] = []
        for line in try String(contentsOf: patch, encoding: .utf8).components(separatedBy: "\n") {
            if line.hasPrefix("--- a/") {
                file = String(line.dropFirst(6))
            } else if line.hasPrefix("@@") {
                hunks.append(Hunk(file: file))
            } else if line.hasPrefix(" ") || line.hasPrefix("-"), !hunks.isEmpty {
                hunks[hunks.count - 1].old.append(String(line.dropFirst()))
            }
        }
        return hunks
    }

    @Test func `Every mutation still applies to the sources`() throws {
        let folder = Self.root.appending(path: "Tests/ModelSimulatorTests/Mutations")
        let patches = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(patches.count == 39)
        for patch in patches {
            let hunks = try Self.hunks(of: patch)
            #expect(!hunks.isEmpty, "\(patch.lastPathComponent)")
            for hunk in hunks {
                let text = try String(contentsOf: Self.root.appending(path: hunk.file), encoding: .utf8)
                #expect(text.contains(hunk.old.joined(separator: "\n") + "\n"), "\(patch.lastPathComponent)")
            }
        }
    }
}
