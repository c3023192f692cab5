import Foundation
import Testing

/// The socket's JSON: what is encoded, the schema and the article's examples say the same.
@Suite struct SchemaTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let catalog = root.appending(path: "Sources/StoreCore/StoreCore.docc")

    private static func checker() throws -> SchemaChecker {
        try SchemaChecker(Data(contentsOf: catalog.appending(path: "Resources/socket.schema.json")))
    }

    @Test func `Every message and case is encoded as the schema says, and read again`() throws {
        let checker = try Self.checker()
        for message in SocketMessage.all {
            for sample in message.samples {
                let data = try JSONEncoder().encode(sample)
                let text = String(decoding: data, as: UTF8.self)
                let fault = checker.fault(in: try JSONValue(data), as: message.name)
                #expect(fault == nil, "\(message.name): \(fault ?? "") in \(text)")
                #expect(try JSONValue(message.rewrite(data)) == JSONValue(data))
            }
        }
        // A field or a case of the schema that nothing has is none of the socket's.
        #expect(checker.all.subtracting(checker.met).sorted() == [])
        #expect(checker.names == Set(SocketMessage.all.map(\.name)).union(SocketMessage.parts))
    }

    @Test func `The article has an example of each message, which is read and written as it stands there`() throws {
        let checker = try Self.checker()
        let text = try String(contentsOf: Self.catalog.appending(path: "Articles/TheSocketAsJSON.md"), encoding: .utf8)
        var name = ""
        var example: [Substring]?
        var counts: [String: Int] = [:]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("### ") { name = String(line.dropFirst(4)) }
            if line == "```json" {
                example = []
            } else if line == "```", let lines = example {
                example = nil
                let data = Data(lines.joined(separator: "\n").utf8)
                let message = try #require(SocketMessage.all.first { $0.name == name }, "\(name)")
                #expect(try JSONValue(message.rewrite(data)) == JSONValue(data))
                let fault = checker.fault(in: try JSONValue(data), as: name)
                #expect(fault == nil, "\(fault ?? "")")
                counts[name, default: 0] += 1
            } else {
                example?.append(line)
            }
        }
        #expect(Set(counts.keys) == Set(SocketMessage.all.map(\.name)))
    }

    @Test(arguments: [
        ("JournalID", #""1""#), ("OrderID", #"{"journal": 7, "number": 1}"#), ("Date", "0"), ("Decimal", "0.99"),
        ("Long", #""1.5""#),
        ("StoreUpdate", #"{"type": "gone"}"#), ("StoreUpdate", #"{"transaction": {"_0": {}}}"#),
        ("UpdateCursor", #"{"position": 1, "place": 2}"#), ("UpdateCursor", #"{"part": 2}"#),
        ("UpdateCursor", #"{"position": "1"}"#), ("ReceiptProperties", #"{"isExpired": 1}"#),
    ]) func `The checker finds what is not as the schema says`(name: String, text: String) throws {
        #expect(try Self.checker().fault(in: JSONValue(Data(text.utf8)), as: name) != nil)
    }
}
