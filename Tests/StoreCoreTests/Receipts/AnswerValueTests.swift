import Foundation
import StoreCore
import Testing

/// The JSON of answers, which is written by hand.
struct AnswerValueTests {
    @Test func `JSON has sorted keys and the bytes that Foundation would write`() throws {
        let controls = (0..<0x21).map { String(UnicodeScalar(UInt8($0))) }.joined()
        let long = String(repeating: "a", count: 5_000)
        let texts = ["", "plain", "\"\\/", controls, "\u{7f}", "é🏰\u{2028}", long, long + "\n"]
        let keys = ["B", "a", "a_b", "aB", "a2", "a10", "é", "\"\n", ""]
        let plain = Dictionary(uniqueKeysWithValues: keys.map { ($0, texts) })
        let answer = AnswerValue.object(plain.mapValues { .list($0.map(AnswerValue.text)) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(answer.json == (try encoder.encode(plain)))
    }

    @Test func `JSON has all kinds of values`() {
        let answer = AnswerValue.object([
            "list": .list([.number(.min), .number(0), .number(.max), .bool(true), .bool(false)]), "none": .list([]),
            "object": .object([:]), "texts": AnswerValue(["a": "b"]),
        ])
        let text = """
            {"list":[-9223372036854775808,0,9223372036854775807,true,false],"none":[],"object":{},"texts":{"a":"b"}}
            """
        #expect(String(decoding: answer.json, as: UTF8.self) == text)
    }
}
