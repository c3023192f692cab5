import Foundation
import Testing

/// The folder `Golden` beside a test's file: files in each form that a version of the package has written.
package struct GoldenFolder: Sendable {
    package let url: URL

    /// Whether the files of the present forms are written, as with `GOLDEN=1 swift test --filter Golden`.
    fileprivate static let isWritten = ProcessInfo.processInfo.environment["GOLDEN"] != nil

    package init(beside file: String = #filePath) {
        url = URL(filePath: file).deletingLastPathComponent().appending(path: "Golden")
    }

    /// Returns the names of the files that begin and end with some words, without the end, in the order of their numbers.
    package func names(_ beginning: String, _ end: String = "") -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))) ?? []
        return names.filter { $0.hasPrefix(beginning) && $0.hasSuffix(end) }.map { String($0.dropLast(end.count)) }
            .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    }

    package func data(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }

    package func text(_ name: String) throws -> String { String(decoding: try data(name), as: UTF8.self) }

    package func lines(_ name: String) throws -> [String] {
        try text(name).split(separator: "\n").map(String.init)
    }

    package func write(_ data: Data, to name: String) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    package func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

    /// The present date in names of forms without a version, as in "2026-11-30".
    package static var today: String { Date.now.formatted(.iso8601.year().month().day()) }
}

extension Trait where Self == ConditionTrait {
    /// Runs a test that writes files of the present forms only where they are asked for.
    package static var writesGolden: Self {
        .enabled(if: GoldenFolder.isWritten, "set GOLDEN to write files of the present forms")
    }
}

/// JSON that a version wrote, beside what is written now.
package enum KeptJSON {
    /// Members whose values are sentences, which may change.
    private static let sentences: Set = ["done", "text", "summary", "description", "notOnSale", "message"]

    /// Returns the first place at which a value of the old text is missing in the new one, or is another; nil for none.
    ///
    /// The new text may have further members, and other sentences. Null in the old text stands for every value.
    package static func loss(of old: Data, in new: Data) throws -> String? {
        let parts = try [old, new].map { try JSONSerialization.jsonObject(with: $0, options: .fragmentsAllowed) }
        return loss(of: parts[0], in: parts[1], at: "")
    }

    /// Returns what two answers to the same request have in common, with null for each value that differs.
    package static func common(_ one: Data, _ other: Data) throws -> Data {
        let parts = try [one, other].map { try JSONSerialization.jsonObject(with: $0, options: .fragmentsAllowed) }
        return try JSONSerialization.data(
            withJSONObject: common(parts[0], parts[1]),
            options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        )
    }

    private static func common(_ one: Any, _ other: Any) -> Any {
        switch (one, other) {
        case (let one as [String: Any], let other as [String: Any]):
            return one.merging(other.filter { one[$0.key] != nil }) { common($0, $1) }
        case (let one as [Any], let other as [Any]) where one.count == other.count:
            return zip(one, other).map { common($0, $1) }
        default: return "\(one)" == "\(other)" ? one : NSNull()
        }
    }

    private static func loss(of old: Any, in new: Any, at place: String) -> String? {
        switch (old, new) {
        case (is NSNull, _): return nil
        case (let old as [String: Any], let new as [String: Any]):
            for (name, value) in old.sorted(by: { $0.key < $1.key }) {
                let here = "\(place).\(name)"
                guard let found = new[name] else { return here }
                if !sentences.contains(name), let loss = loss(of: value, in: found, at: here) { return loss }
            }
            return nil
        case (let old as [Any], let new as [Any]):
            guard old.count == new.count else { return "\(place): \(new.count) for \(old.count)" }
            for (index, pair) in zip(old, new).enumerated() {
                if let loss = loss(of: pair.0, in: pair.1, at: "\(place)[\(index)]") { return loss }
            }
            return nil
        default: return "\(old)" == "\(new)" ? nil : "\(place): \(new) for \(old)"
        }
    }
}
