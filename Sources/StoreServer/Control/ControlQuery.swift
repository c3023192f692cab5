import Foundation
import StoreCore

/// The query of a reading request, whose names and values are all checked.
struct ControlQuery {
    /// A name that a query may have.
    struct Parameter: Sendable {
        let name: String
        let summary: String
        /// The numbers that may be given; nil for a text.
        var range: ClosedRange<Int>?
        /// The number unless one is given.
        var standard: Int?
        /// The valid values; empty if any text may be given.
        var words: [String] = []

        /// The maximum number of rows.
        static let limit = limit(200, usually: 50)

        /// Returns the parameter for the maximum number of rows, which itself is limited.
        static func limit(_ maximum: Int, usually number: Int) -> Parameter {
            Parameter(
                name: "limit",
                summary: "The maximum number of rows, from 1 to \(maximum); by default \(number).",
                range: 1...maximum,
                standard: number
            )
        }
    }

    private let values: [String: String]
    /// The maximum number of rows.
    let limit: Int

    /// Reads the query of a request.
    ///
    /// - Throws: ``ControlFailure`` for a name that is not among the parameters, and for an invalid limit.
    init(_ request: HTTPRequest, _ parameters: [Parameter]) throws(ControlFailure) {
        for item in request.query where !parameters.contains(where: { $0.name == item.name }) {
            throw ControlFailure(.invalid, item.name, "is not in the query here", among: parameters.map(\.name))
        }
        values = Dictionary(request.query.map { ($0.name, $0.value) }) { $1 }
        for parameter in parameters where !parameter.words.isEmpty {
            guard let value = values[parameter.name], !parameter.words.contains(value) else { continue }
            throw ControlFailure(.invalid, value, "is not a \(parameter.name)", among: parameter.words)
        }
        let rows = parameters.first { $0.name == "limit" }
        guard let text = values["limit"], let range = rows?.range else {
            limit = rows?.standard ?? 0
            return
        }
        guard let number = Int(text), range.contains(number) else {
            throw ControlFailure(
                .invalid,
                "\"\(text)\" is not a limit, which is a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        limit = number
    }

    subscript(name: String) -> String? { values[name] }

    /// Returns whether a value is the one that the query has for a name, if it has one.
    func admits(_ value: String?, as name: String) -> Bool { values[name].map { $0 == value } ?? true }
}

// Moments in queries.
extension ControlQuery {
    /// Returns the first moment that a date, or a date with a time, of a name stands for; nil if the query has none.
    ///
    /// - Throws: ``ControlFailure`` for a text that is neither.
    func beginning(_ name: String) throws(ControlFailure) -> Date? { try moments(name)?.lowerBound }

    /// Returns the first moment after a date, or a date with a time, of a name; nil if the query has none.
    ///
    /// - Throws: ``ControlFailure`` for a text that is neither.
    func end(_ name: String) throws(ControlFailure) -> Date? { try moments(name)?.upperBound }

    private func moments(_ name: String) throws(ControlFailure) -> Range<Date>? {
        guard let text = values[name] else { return nil }
        let forms: [(suffix: String, length: TimeInterval)] = [("", 1), ("Z", 1), (":00Z", 60), ("T00:00:00Z", 86_400)]
        for form in forms {
            // A parser also takes the 31st of February, and leaves out what stands behind the seconds.
            guard let date = try? Date(text + form.suffix, strategy: .iso8601), date.formatted(.iso8601).hasPrefix(text)
            else { continue }
            return date..<date + form.length
        }
        throw ControlFailure(
            .invalid,
            "\"\(text)\" is not valid: \(name) is a date as in 2026-06-12, or a moment as in 2026-06-12T09:41:00Z"
        )
    }
}
