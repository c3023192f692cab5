import Foundation

/// The options of `verify`.
struct VerifyOptions: Equatable {
    /// The key or the certificate with which to verify.
    enum Key: Equatable {
        case bytes(Data)
        case file(String)
        case root(file: String, revocationList: String? = nil)
    }

    /// The file of the receipt or the JWS.
    var file: String
    var key: Key
    /// The date of the check; nil for the current date.
    var moment: Date?
    var isJSON = false
}

extension VerifyOptions {
    init(_ arguments: CommandArguments) throws {
        let list = arguments["--revocation-list"]
        if let bytes = try arguments.value(of: "--key", Self.bytes) {
            key = .bytes(bytes)
        } else if let file = arguments["--key-file"] {
            key = .file(file)
        } else {
            key = .root(file: arguments[required: "--root"], revocationList: list)
        }
        if list != nil, !arguments.has("--root") {
            throw Command.Mistake("--revocation-list goes with --root", arguments.row)
        }
        file = arguments.words[0]
        moment = try arguments.value(of: "--at", Wording.moment)
        isJSON = arguments.has("--json")
    }

    private static func bytes(hexadecimal text: String) -> Data? {
        let values = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard values.count == text.count, values.count.isMultiple(of: 2) else { return nil }
        return Data(stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) })
    }
}
