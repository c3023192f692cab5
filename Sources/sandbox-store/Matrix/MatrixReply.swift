import Foundation
import StoreScenario

/// The reply of the server that is asked to one question.
struct MatrixReply {
    /// The fate of a question.
    enum Outcome: String {
        case accepted, refused, crashed
    }

    let outcome: Outcome
    /// The HTTP status; nil without a response.
    var status: Int?
    /// The reason for a crash without a status that says it.
    var reason: String?
    private(set) var answer: [String: Any] = [:]

    /// Creates the reply of a server that sent no response.
    init(crashed reason: String) { (outcome, self.reason) = (.crashed, reason) }

    /// Creates a reply from an HTTP response, which may have any content.
    init(status: Int, body: Data) {
        self.status = status
        switch status {
        case 200...299:
            if body.isEmpty {
                outcome = .accepted
            } else if let members = try? JSONSerialization.jsonObject(with: body) as? [String: Any] {
                (outcome, answer) = (.accepted, members)
            } else {
                (outcome, reason) = (.crashed, "the answer is not an object of JSON")
            }
        case 400...499: outcome = .refused
        default: outcome = .crashed
        }
    }

    /// The outcome in a table, as in `refused 403`.
    var cell: String {
        guard outcome != .accepted, let status else { return outcome.rawValue }
        return "\(outcome.rawValue) \(status)"
    }

    /// The outcome in a sentence.
    var sentence: String { reason.map { "\(cell): \($0)" } ?? cell }
}

// MARK: - Differences

extension MatrixReply {
    /// Returns the differences between an accepted answer and a purchase, each in a few words.
    ///
    /// Members that the answer lacks are not compared.
    ///
    /// - Parameters:
    ///   - purchase: the purchase.
    ///   - isAboutPurchase: whether the answer has to name the product.
    /// - Returns: the differences; none if the question was not accepted.
    func differences(from purchase: MatrixPurchase, isAboutPurchase: Bool) -> [String] {
        guard outcome == .accepted else { return [] }
        var differences: [String] = []
        if isAboutPurchase, answer["product"] == nil { differences.append("the answer names no product") }
        func compare(_ name: String, with expected: String, ignoringCase: Bool = false) {
            guard let value = answer[name] else { return }
            let text = value as? String ?? (value as? NSNumber).map { "\($0)" } ?? "null"
            let isEqual = ignoringCase ? text.lowercased() == expected.lowercased() : text == expected
            if !isEqual { differences.append("\(name) \(Self.shown(text)), not \(expected)") }
        }
        compare("product", with: purchase.product)
        compare("transaction", with: purchase.transaction)
        compare("environment", with: purchase.environment, ignoringCase: true)
        if let value = answer["expires"] {
            let date = Self.date(value)
            let isEqual =
                if let expected = purchase.expires {
                    date.map { abs($0.timeIntervalSince(expected)) < 1 } ?? false
                } else { value is NSNull }
            if !isEqual {
                let told = date.map(Wording.moment) ?? (value is NSNull ? "never" : Self.shown("\(value)"))
                differences.append("expires \(told), not \(purchase.expires.map(Wording.moment) ?? "never")")
            }
        }
        return differences
    }

    /// Returns the beginning of a text of any content, in one line that cannot control a terminal.
    private static func shown(_ text: String) -> String {
        String(text.prefix(100)).replacing("\n", with: " ").printable
    }

    /// Returns the date of milliseconds since 1970, also as a text, or of a text as 2026-01-01T00:00:00Z; nil for any
    /// other value, and for a date that no text can show.
    private static func date(_ value: Any) -> Date? {
        let number = (value as? NSNumber)?.doubleValue ?? (value as? String).flatMap(Double.init)
        if let number { return shownDates.contains(number / 1000) ? Date(timeIntervalSince1970: number / 1000) : nil }
        guard let text = value as? String else { return nil }
        return (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    /// The seconds since 1970 of the years 1970 to 9999.
    private static let shownDates: Range<Double> = 0..<253_402_300_800
}
