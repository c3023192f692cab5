import Foundation

/// The options of `verify`.
struct VerifyOptions: Equatable {
    /// The source of the store's key.
    enum Key: Equatable {
        /// The key itself.
        case bytes(Data)
        /// All bytes of a file.
        case file(String)
    }

    /// The receipt's file.
    var file: String
    var key: Key
    /// The date of the check; now, if nil.
    var moment: Date?
    /// Whether to print the answer as sent over the wire.
    var isJSON = false
}

extension Command {
    /// Parses the arguments behind `verify`.
    static func verification(_ arguments: ArraySlice<String>) throws(Mistake) -> Command {
        var rest = arguments
        let keyFiles = try takeValues(of: "--key-file", "a file", from: &rest)
        let keys = try takeValues(of: "--key", "hexadecimal digits", from: &rest)
        let moments = try takeValues(of: "--at", "a moment", from: &rest)
        let (options, files) = sort(rest)
        if options.contains(where: isHelp) { return .help }
        if let option = options.first(where: { $0 != "--json" }) {
            throw Mistake(sentence: "\"\(option)\" is not an option of verify")
        }
        guard files.count == 1, let file = files.first else {
            throw Mistake(sentence: "verify judges one receipt; \(files.count) were given")
        }
        guard keyFiles.count + keys.count == 1, moments.count <= 1 else {
            let sentence =
                moments.count <= 1
                ? "verify needs the store's key, once: --key-file FILE or --key HEX"
                : "verify judges at one moment; \(moments.count) were given"
            throw Mistake(sentence: sentence)
        }
        return .verify(
            VerifyOptions(
                file: file,
                key: try keys.first.map(bytes).map(VerifyOptions.Key.bytes) ?? .file(keyFiles[0]),
                moment: try moments.first.map(moment),
                isJSON: options.contains("--json")
            )
        )
    }

    private static func bytes(hexadecimal text: String) throws(Mistake) -> Data {
        let values = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard !values.isEmpty, values.count == text.count, values.count.isMultiple(of: 2) else {
            // Without the text: most of a mistyped key is still the key.
            throw Mistake(sentence: "--key needs hexadecimal digits, two for each byte")
        }
        return Data(stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) })
    }

    private static func moment(_ text: String) throws(Mistake) -> Date {
        guard let moment = try? Date(text, strategy: .iso8601) else {
            throw Mistake(sentence: "\"\(text)\" is no moment as in 2012-09-21T01:31:38Z")
        }
        return moment
    }
}
