extension BrokenFile {
    private static let tooDeep = "more than 64 levels of lists and objects"
    private static func nested(_ levels: Int) -> String {
        String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }

    static let syntax: [BrokenFile] = [
        .init("an empty file", "", "JSON", "an empty file"),
        .init(
            "a file cut short",
            #"{"version": {"major": 4"#,
            "JSON",
            "the end in the middle of the object that begins at line 1, column 13"
        ),
        .init(
            "a list cut short",
            "{\n  \"version\": {\"major\": 4},\n  \"products\": [{},",
            "JSON",
            "the end in the middle of the list that begins at line 3, column 15"
        ),
        .init(
            "a text cut short",
            "{\n  \"identifier\": \"A \\\"file\\\"",
            "JSON",
            "the end in the middle of the text that begins at line 2, column 17"
        ),
        // Foundation's parser traps where the bracket of the 513th level is the last byte.
        .init("lists in lists that end too early", String(repeating: "[", count: 513), "JSON", tooDeep),
        .init(
            "objects in objects that end too early",
            String(repeating: #"{"products":"#, count: 512) + "{",
            "JSON",
            tooDeep
        ),
        .init("a level too many", nested(65), "JSON", tooDeep),
        .init("as many levels as there may be", nested(64), "an object", "a list"),
        .init(
            "brackets in a text, and quotation marks behind backslashes",
            #"["\\\"\#(String(repeating: "[", count: 65))", "\\"]"#,
            "an object",
            "a list"
        ),
        .init(
            "zeros between the letters, as in UTF-16",
            "{}".map { "\($0)\0" }.joined(),
            "JSON",
            "text that is not UTF-8"
        ),
        .init("no JSON at all", "productID = sword", "JSON", "something else near line 1, column 1"),
        .init(
            "a missing comma",
            "{\n  \"identifier\" : \"A\"\n  \"version\" : 4\n}",
            "JSON",
            "something else near line 3, column 3"
        ),
        .init("a list on top", "[]", "an object", "a list"),
        .init("no version", "{}", at: "version", "the format's version", "nothing"),
        .init("a version in one", #"{"version": 4}"#, at: "version", "an object", "4"),
        .init("half a format", #"{"version": {"major": 4.5}}"#, at: "version.major", "a whole number from 0", "4.5"),
        .init(
            "a format to come that is laid out otherwise",
            #"{"version": {"major": 7, "minor": 0}, "products": {"sword": 1}}"#,
            at: "products",
            "a list",
            "an object, in format 7, which is newer than 6"
        ),
        .init(
            "a format to come that lacks a key",
            #"{"version": {"major": 70}, "products": [{"productID": "sword"}]}"#,
            at: "products[0].displayPrice",
            price,
            "nothing, in format 70, which is newer than 6"
        ),
        .init(
            "a format without a number",
            #"{"version": {"major": 1e30}}"#,
            at: "version.major",
            "a whole number from 0",
            "1e+30"
        ),
    ]
}
