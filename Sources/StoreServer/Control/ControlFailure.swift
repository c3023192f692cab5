import StoreScenario

/// The response of the control interface to a request that it does not fulfill.
package struct ControlFailure: Error {
    /// The kind of a failure, with its name in responses.
    enum Code: String, CaseIterable {
        case invalid, unauthorized, foreign, absent, method, conflict, refused, failed, busy

        /// The HTTP status.
        var status: Int {
            switch self {
            case .invalid: 400
            case .unauthorized: 401
            case .foreign: 403
            case .absent: 404
            case .method: 405
            case .conflict: 409
            case .refused: 422
            case .failed: 500
            case .busy: 503
            }
        }

        /// A sentence that says when a request fails so.
        var sentence: String {
            switch self {
            case .invalid: "The request is invalid for every store."
            case .unauthorized: "The request has no token, or another one."
            case .foreign: "The request comes from another page or by another host name."
            case .absent: "Nothing is at this address, or has this name."
            case .method: "The address supports another method."
            case .conflict: "The idempotency key belongs to another command, or to one that waits for the app's server."
            case .refused: "The store refuses the command, or cannot perform it now."
            case .failed: "Something failed on the server's side."
            case .busy: "Too many clients listen, or too many stores are open."
            }
        }
    }

    let code: Code
    /// A sentence for a person, whose wording is not stable.
    package let message: String
    /// The invalid word; nil if no single word is invalid.
    var word: String?
    /// The valid word that is most similar to ``word``; nil if none is similar.
    var suggestion: String?
    /// The column at which ``word`` begins in a line of a scenario, from 1; nil for a command that is no such line.
    var column: Int?
    /// The methods that the address supports, if that is the failure.
    var allowed: String?

    init(_ code: Code, _ message: String, allowed: String? = nil) {
        (self.code, self.message, self.allowed) = (code, message, allowed)
    }

    /// Creates a failure about a word.
    ///
    /// - Parameters:
    ///   - code: the kind of the failure.
    ///   - word: the word.
    ///   - reason: the rest of a sentence that begins with the word.
    ///   - names: the valid words. The sentence suggests a similar one, or else lists them if they are few.
    ///   - others: the end of the sentence if no word is similar; nil for a list of the valid words.
    init(_ code: Code, _ word: String, _ reason: String, among names: [String], else others: String? = nil) {
        let suggestion = Suggestion.name(for: word, among: names)
        let advice = suggestion.map { Suggestion.text(for: $0) } ?? others ?? Suggestion.list(names)
        self.init(code, "\"\(word)\" \(reason)\(advice)")
        (self.word, self.suggestion) = (word, suggestion)
    }

    init(_ error: ScenarioError) {
        let code: Code =
            switch error.kind {
            case .syntax: .invalid
            case .refused: .refused
            case .failed: .failed
            }
        self.init(code, "\(error)")
        (word, suggestion, column) = (error.word, error.suggestion, error.column)
    }

    /// The failure at the addresses of a store that is not open.
    static let closedStore = ControlFailure(
        .absent,
        "there is no such store; it was closed, or nobody has used it for long"
    )

    var response: HTTPResponse {
        var error: JSONValue = [
            "code": .string(code.rawValue), "message": .string(message), "word": .optional(word),
            "suggestion": .optional(suggestion),
        ]
        if let column { error = error + ["column": .number(column)] }
        var response = HTTPResponse(code.status, json: ["error": error])
        if code == .unauthorized { response.headers["WWW-Authenticate"] = "Bearer" }
        response.headers["Allow"] = allowed
        return response
    }
}
