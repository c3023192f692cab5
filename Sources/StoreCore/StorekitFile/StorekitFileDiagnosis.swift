import Foundation

/// The diagnosis of a broken `.storekit` file, which turns the JSON decoder's error into a place and a sentence.
///
/// It is created only once decoding has failed, so it may parse the data again to report the value found.
struct StorekitFileDiagnosis {
    let file: String
    let data: Data

    /// Returns the error to throw in place of the decoder's error.
    func explain(_ error: any Error) -> StoreConfigurationError {
        return switch error {
        case DecodingError.keyNotFound(let key, let context):
            problem(at: context.codingPath + [key], StorekitFileExpectation.key(key.stringValue), "nothing")
        case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
            problem(at: context.codingPath, Self.name(of: type), value(at: context.codingPath))
        default: StoreConfigurationError(file: file, path: "", expected: "JSON", found: syntaxTrouble())
        }
    }

    private func problem(at path: [any CodingKey], _ expected: String, _ found: String) -> StoreConfigurationError {
        // The error mentions a format that is too new, which may explain more than the place where decoding failed.
        let newest = StoreConfiguration.newestMajorVersion
        let format = (try? UntrustedJSON.decode(VersionOnly.self, from: data)).flatMap {
            Int(exactly: $0.version.major)
        }
        let mark = format.flatMap { $0 > newest ? ", in format \($0), which is newer than \(newest)" : nil } ?? ""
        return StoreConfigurationError(file: file, path: Self.text(of: path), expected: expected, found: found + mark)
    }

    private static func text(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is Double.Type: "a number"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }

    /// Returns the value at a place as the file writes it; lists and objects are reduced to a word.
    private func value(at path: [any CodingKey]) -> String {
        var value = try? UntrustedJSON.object(from: data)
        for key in path {
            if let index = key.intValue {
                value = (value as? [Any]).flatMap { $0.indices.contains(index) ? $0[index] : nil }
            } else {
                value = (value as? [String: Any])?[key.stringValue]
            }
        }
        switch value {
        case nil: return "something else"
        case is [Any]: return "a list"
        case is [String: Any]: return "an object"
        case let text as String: return StorekitFileExpectation.quoted(text)
        case .some(let other):
            // Encoded again, because a number and a Boolean look alike once they are decoded.
            let written = try? JSONSerialization.data(withJSONObject: other, options: .fragmentsAllowed)
            return written.map { String(decoding: $0, as: UTF8.self) } ?? "something else"
        }
    }

    private func syntaxTrouble() -> String { data.isEmpty ? "an empty file" : UntrustedJSON.trouble(in: data) }

    private struct VersionOnly: Decodable { let version: StorekitFile.Version }
}

/// The expected values of a `.storekit` file, for error messages.
enum StorekitFileExpectation {
    static let price = "a price of digits with a point where needed, such as \"0.99\""
    static let duration = "an ISO 8601 duration of one unit, such as \"P1W\", \"P1M\" or \"P1Y\""
    static let paymentMode = "\"free\", \"payAsYouGo\" or \"payUpFront\""
    static let offerIdentifier = "an identifier for the offer"
    static let productType = "\"Consumable\", \"NonConsumable\" or \"NonRenewingSubscription\""

    /// Returns the expected value of a required key.
    static func key(_ name: String) -> String {
        switch name {
        case "displayPrice": price
        case "recurringSubscriptionPeriod", "subscriptionPeriod": duration
        case "paymentMode": paymentMode
        case "offerID", "referenceName": offerIdentifier
        case "type": productType
        case "productID": "a product identifier"
        case "id": "an identifier for the subscription group"
        case "version": "the format's version"
        default: "a value"
        }
    }

    /// Returns a text in quotation marks, truncated where it is long.
    static func quoted(_ text: String) -> String { text.count > 60 ? "\"\(text.prefix(60))…\"" : "\"\(text)\"" }
}
