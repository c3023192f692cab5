import Foundation
import StoreCore
import StoreRemote
import TestSupport
import Testing

/// Messages of the device protocol as each version sent them.
///
/// A file's name has the protocol's version and the day; a line has a message's name and its JSON. `GOLDEN=1 swift test
/// --filter Golden` writes a file of the messages that are in none yet.
@Suite struct GoldenFrameTests {
    private static let golden = GoldenFolder()
    private static let names = golden.names("device-\(DeviceProtocol.versions.newest)-", ".txt")

    private static func messages(in name: String) throws -> [(name: String, json: Data)] {
        try golden.lines("\(name).txt").map { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return (String(parts[0]), Data(parts[1].utf8))
        }
    }

    @Test(arguments: names) func `What was sent is read, and nothing of it is lost`(name: String) throws {
        for (name, json) in try Self.messages(in: name) {
            let message = try #require(SocketMessage.all.first { $0.name == name })
            let loss = try KeptJSON.loss(of: json, in: message.rewrite(json))
            #expect(loss == nil, "\(name): \(loss ?? "") in \(String(decoding: json, as: UTF8.self))")
        }
    }

    /// The names of the messages that no file of the present version has.
    private static func missing() throws -> Set<String> {
        let known = try names.flatMap { try messages(in: $0).map(\.name) }
        return Set(SocketMessage.all.map(\.name)).subtracting(known)
    }

    @Test func `Each message of the present version is in a file`() throws {
        #expect(try Self.missing().isEmpty, "write them: GOLDEN=1 swift test --filter Golden")
    }

    @Test(.writesGolden) func `Messages that are in no file are written`() throws {
        let missing = try Self.missing()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var text = ""
        for message in SocketMessage.all where missing.contains(message.name) {
            for sample in message.samples {
                text += "\(message.name) \(String(decoding: try encoder.encode(sample), as: UTF8.self))\n"
            }
        }
        guard !text.isEmpty else { return }
        try Self.golden.write(text, to: "device-\(DeviceProtocol.versions.newest)-\(GoldenFolder.today).txt")
    }
}
