import Foundation

/// A form in which an app or the App Store shows a purchase to an app's server.
enum MatrixForm: String, CaseIterable, Sendable {
    /// The receipt of a transaction in Store Kit 1, a signed property list in Base64.
    case transactionReceipt
    /// The app receipt in Base64.
    case appReceipt
    /// The signed transaction of Store Kit 2.
    case jws
    /// The transaction's identifier, with which the server asks the App Store Server API.
    case transactionId
    /// The `signedPayload` of a notification.
    case notification

    /// Parses forms between commas; nil if there is none, or for any other word.
    static func list(_ text: String) -> [MatrixForm]? {
        let words = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let forms = words.compactMap(MatrixForm.init(rawValue:))
        return forms.isEmpty || forms.count < words.count ? nil : allCases.filter(forms.contains)
    }
}
