import Foundation

/// Data between two lines of a PEM text (RFC 7468).
struct PEMBlock {
    enum Label: String {
        case privateKey = "PRIVATE KEY"
        case ellipticCurveKey = "EC PRIVATE KEY"
        case publicKey = "PUBLIC KEY"
        case certificate = "CERTIFICATE"
    }

    let label: Label
    let data: Data

    init(_ label: Label, _ data: Data) { (self.label, self.data) = (label, data) }

    /// Reads the first block with one of these labels; everything else, such as a curve's parameters, is skipped.
    init(first labels: [Label], in text: String) throws(CryptoError) {
        var label: Label?
        var body = ""
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if let open = label {
                guard line == "-----END \(open.rawValue)-----" else {
                    body += line
                    continue
                }
                guard let data = Data(base64Encoded: body) else {
                    throw CryptoError("the PEM's \(open.rawValue) is not in Base64")
                }
                self.init(open, data)
                return
            }
            label = labels.first { line == "-----BEGIN \($0.rawValue)-----" }
        }
        let names = labels.map(\.rawValue).joined(separator: " or ")
        throw CryptoError("there is no \(names) in the PEM, or not all of it")
    }

    /// The block as text.
    var text: String {
        let body = data.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label.rawValue)-----\n\(body)\n-----END \(label.rawValue)-----\n"
    }
}
