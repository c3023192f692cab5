extension BrokenFile {
    static let syntax: [BrokenFile] = [
        .init("an empty file", "", at: "", expected: "JSON", found: "an empty file"),
        .init(
            "a file cut short",
            #"{"version": {"major": 4"#,
            at: "",
            expected: "JSON",
            found: "the end of the file too early"
        ),
        // Foundation's parser traps where the bracket of the 513th level is the last byte.
        .init(
            "lists in lists that end too early",
            String(repeating: "[", count: 513),
            at: "",
            expected: "JSON",
            found: "more than 64 levels of lists and objects"
        ),
        .init(
            "objects in objects that end too early",
            String(repeating: #"{"products":"#, count: 512) + "{",
            at: "",
            expected: "JSON",
            found: "more than 64 levels of lists and objects"
        ),
        .init(
            "a level too many",
            String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
            at: "",
            expected: "JSON",
            found: "more than 64 levels of lists and objects"
        ),
        .init(
            "as many levels as there may be",
            String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
            at: "",
            expected: "an object",
            found: "a list"
        ),
        .init(
            "brackets in a text, and quotation marks behind backslashes",
            #"["\\\"\#(String(repeating: "[", count: 65))", "\\"]"#,
            at: "",
            expected: "an object",
            found: "a list"
        ),
        .init(
            "zeros between the letters, as in UTF-16",
            "{}".map { "\($0)\0" }.joined(),
            at: "",
            expected: "JSON",
            found: "text that is not UTF-8"
        ),
        .init(
            "no JSON at all",
            "productID = sword",
            at: "",
            expected: "JSON",
            found: "something else near line 1, column 1"
        ),
        .init(
            "a missing comma",
            "{\n  \"identifier\" : \"A\"\n  \"version\" : 4\n}",
            at: "",
            expected: "JSON",
            found: "something else near line 3, column 3"
        ),
        .init("a list on top", "[]", at: "", expected: "an object", found: "a list"),
        .init("no version", "{}", at: "version", expected: "the format's version", found: "nothing"),
        .init("a version in one", #"{"version": 4}"#, at: "version", expected: "an object", found: "4"),
        .init(
            "half a format",
            #"{"version": {"major": 4.5}}"#,
            at: "version.major",
            expected: "a whole number from 0",
            found: "4.5"
        ),
        .init(
            "a format to come that is laid out otherwise",
            #"{"version": {"major": 7, "minor": 0}, "products": {"sword": 1}}"#,
            at: "products",
            expected: "a list",
            found: "an object, in format 7, which is newer than 6"
        ),
        .init(
            "a format to come that lacks a key",
            #"{"version": {"major": 70}, "products": [{"productID": "sword"}]}"#,
            at: "products[0].displayPrice",
            expected: price,
            found: "nothing, in format 70, which is newer than 6"
        ),
        .init(
            "a format without a number",
            #"{"version": {"major": 1e30}}"#,
            at: "version.major",
            expected: "a whole number from 0",
            found: "1e+30"
        ),
    ]
}
