import Foundation
import Testing

/// A text with fenced code in it: a Markdown file, or the doc comments of a source file.
struct Document: CustomTestStringConvertible, Sendable {
    /// The path from the checkout's root.
    let path: String
    let fences: [Fence]

    var testDescription: String { path }

    /// Some code between two fences.
    struct Fence: Sendable {
        /// What stands behind the opening fence.
        let language: String
        /// Where its first line stands.
        let line: Int
        let lines: [String]

        /// Its lines without indentation, taken apart at empty ones.
        var runs: [[String]] {
            lines.map { $0.trimmingCharacters(in: .whitespaces) }
                .split(separator: "")
                .map { Array($0) }
        }
    }

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    init(_ path: String) throws {
        self.path = path
        var lines = try Self.text(path).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if path.hasSuffix(".swift") { lines = lines.map(Self.comment) }
        var fences: [Fence] = []
        var open: (language: String, line: Int)?
        for (index, line) in lines.enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            guard trimmed.hasPrefix("```") else { continue }
            if let (language, start) = open {
                fences.append(Fence(language: language, line: start + 1, lines: Array(lines[start..<index])))
                open = nil
            } else {
                open = (String(trimmed.dropFirst(3)), index + 1)
            }
        }
        self.fences = fences
    }

    /// The text of a doc comment's line, empty for any other.
    private static func comment(_ line: String) -> String {
        let trimmed = line.trimmingCharacters(in: .whitespaces)
        return trimmed.hasPrefix("///") ? String(trimmed.dropFirst(3)) : ""
    }

    /// All files under a folder whose name ends so, in alphabetical order.
    static func paths(under folder: String, endingIn suffix: String) -> [String] {
        let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
        return (files?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(suffix) }
            .map { "\(folder)/\($0)" }
            .sorted()
    }
}
