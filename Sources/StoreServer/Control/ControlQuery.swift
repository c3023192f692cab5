import StoreCore

/// The query of a reading request, whose names and values are all checked.
struct ControlQuery {
    /// A name that a query may have.
    struct Parameter: Sendable {
        let name: String
        let summary: String
        var isNumber = false
        /// The valid values; empty if any text may be given.
        var words: [String] = []

        /// The maximum number of rows.
        static let limit = Parameter(
            name: "limit",
            summary: "The maximum number of rows, from 1 to \(maximumLimit); by default \(defaultLimit).",
            isNumber: true
        )
    }

    static let maximumLimit = 200
    private static let defaultLimit = 50

    private let values: [String: String]

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
        guard let text = values["limit"] else { return }
        guard let number = Int(text), (1...Self.maximumLimit).contains(number) else {
            throw ControlFailure(.invalid, "limit is a whole number from 1 to \(Self.maximumLimit)")
        }
    }

    subscript(name: String) -> String? { values[name] }

    /// The maximum number of rows.
    var limit: Int { values["limit"].flatMap { Int($0) } ?? Self.defaultLimit }

    /// Returns whether a value is the one that the query has for a name, if it has one.
    func admits(_ value: String?, as name: String) -> Bool { values[name].map { $0 == value } ?? true }
}
