import Foundation

/// The options of `verify`.
struct VerifyOptions: Equatable {
    /// The key or the certificate to verify with.
    enum Key: Equatable {
        /// The store's key itself.
        case bytes(Data)
        /// The store's key: all bytes of a file.
        case file(String)
        /// The root certificate in a file.
        case root(String)
    }

    /// The file of the receipt or the JWS.
    var file: String
    var key: Key
    /// The file of a list of revoked certificates, which goes with a root.
    var revocationList: String?
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
        let roots = try takeValues(of: "--root", "a file", from: &rest)
        let lists = try takeValues(of: "--revocation-list", "a file", from: &rest)
        let moments = try takeValues(of: "--at", "a moment", from: &rest)
        let (options, files) = sort(rest)
        if options.contains(where: isHelp) { return .help }
        if let option = options.first(where: { $0 != "--json" }) {
            throw Mistake(sentence: "\"\(option)\" is not an option of verify")
        }
        guard files.count == 1, let file = files.first else {
            throw Mistake(sentence: "verify judges one receipt; \(files.count) were given")
        }
        let sources =
            try keys.map { text throws(Mistake) in VerifyOptions.Key.bytes(try bytes(hexadecimal: text)) }
            + keyFiles.map { .file($0) } + roots.map { .root($0) }
        guard sources.count == 1, moments.count <= 1 else {
            let sentence =
                moments.count <= 1
                ? "verify needs the store's key or root, once: --key-file FILE, --key HEX or --root FILE"
                : "verify judges at one moment; \(moments.count) were given"
            throw Mistake(sentence: sentence)
        }
        guard lists.isEmpty || (lists.count == 1 && roots.count == 1) else {
            throw Mistake(sentence: "--revocation-list goes with --root, once")
        }
        return .verify(
            VerifyOptions(
                file: file,
                key: sources[0],
                revocationList: lists.first,
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

    static func moment(_ text: String) throws(Mistake) -> Date {
        guard let moment = try? Date(text, strategy: .iso8601) else {
            throw Mistake(sentence: "\"\(text)\" is no moment as in 2012-09-21T01:31:38Z")
        }
        // The first second of the year 1, and that of the year 10000.
        guard (-62_135_596_800..<253_402_300_800).contains(moment.timeIntervalSince1970) else {
            throw Mistake(sentence: "\"\(text)\" is not in the years 1 to 9999, in which answers tell their dates")
        }
        return moment
    }
}
