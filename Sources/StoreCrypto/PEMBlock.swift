import Foundation

/// A key between two lines of a PEM text (RFC 7468).
struct PEMBlock {
    let isPublic: Bool
    let data: Data

    /// Reads the first key in a text; everything else, such as a curve's parameters, is skipped.
    init(firstKeyIn text: String) throws(CryptoError) {
        let labels = ["PRIVATE KEY", "EC PRIVATE KEY", "PUBLIC KEY"]
        var label: String?
        var body = ""
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if let open = label {
                guard line == "-----END \(open)-----" else {
                    body += line
                    continue
                }
                guard let data = Data(base64Encoded: body) else {
                    throw CryptoError("the PEM's \(open) is not in Base64")
                }
                (isPublic, self.data) = (open == "PUBLIC KEY", data)
                return
            }
            label = labels.first { line == "-----BEGIN \($0)-----" }
        }
        throw CryptoError("there is no PRIVATE KEY, EC PRIVATE KEY or PUBLIC KEY in the PEM, or not all of it")
    }
}
