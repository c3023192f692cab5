import Foundation
import Testing

@testable import StoreServer

/// Paths to values in JSON.
@Suite struct JSONPathTests {
    @Test(
        arguments: [
            ("$.name", "n"), ("$.a.b", "b"), ("$[\"a b\"]", "spaces"), ("$.list[1]", "second"), ("$.list[2]", nil),
            ("$.a.c", nil), ("$.name.b", nil), ("$.name[0]", nil),
        ]
    )
    func `A path leads to a value, or to none`(_ path: String, _ value: String?) throws {
        let text = #"{"name": "n", "a": {"b": "b"}, "a b": "spaces", "list": ["first", "second"]}"#
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(try #require(JSONPath(path)).value(in: json) as? String == value)
    }

    @Test(arguments: ["", "name", "$name", "$.", "$..name", "$.*", "$.list[*]", "$.list[-1]", "$.list[0", "$[\"\"]"])
    func `Any other text is no path`(_ path: String) { #expect(JSONPath(path) == nil) }
}
