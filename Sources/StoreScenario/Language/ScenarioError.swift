import Foundation

/// An error in a line of a scenario, or a store's refusal of the line, with its position.
public struct ScenarioError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
    /// The kind of an error.
    ///
    /// Later versions may add cases: a `switch` needs a `default`.
    public enum Kind: String, Hashable, Codable, Sendable {
        /// The line is invalid for every store.
        case syntax
        /// The store refused the command, or has no object with the given name.
        case refused
        /// The store could not perform the command: its ledger or its signer failed.
        case failed
    }

    /// The kind of the error.
    public internal(set) var kind: Kind
    /// The name of the scenario; nil for a line outside a scenario.
    public internal(set) var file: String?
    /// The number of the line in the scenario, from 1; nil for a line outside a scenario.
    public internal(set) var line: Int?
    /// The column of the error in the line, from 1, usually that at which the wrong word begins.
    ///
    /// Nil if the whole line is wrong, and for words that were not parsed from a line.
    public let column: Int?
    /// The wrong word; nil if no single word is wrong.
    package let word: String?
    /// The valid word that is most similar to ``word``; nil if none is similar.
    package let suggestion: String?
    /// A sentence with the reason for the error, the expected input, and the suggestion.
    ///
    /// The wording is not stable.
    public let reason: String

    init(_ reason: String, kind: Kind = .syntax, column: Int? = nil) {
        self.kind = kind
        self.column = column
        self.reason = reason
        (word, suggestion) = (nil, nil)
    }

    /// Creates an error about a word.
    ///
    /// - Parameters:
    ///   - word: the word.
    ///   - reason: the rest of a sentence that begins with the word.
    ///   - kind: the kind of the error.
    ///   - names: the valid words, of which a similar one is suggested.
    ///   - others: the end of the sentence if no word is similar.
    init(_ word: Word, _ reason: String, kind: Kind = .syntax, among names: [String] = [], else others: String = "") {
        self.kind = kind
        column = word.column
        self.word = word.text
        suggestion = Suggestion.name(for: word.text, among: names)
        self.reason = reason + (suggestion.map { Suggestion.text(for: $0) } ?? others)
    }

    /// Creates an error from a sentence that another process has reported.
    ///
    /// - Parameters:
    ///   - sentence: the ``description`` of an error without a position.
    ///   - kind: the kind of the error.
    ///   - word: the wrong word, with which the sentence begins.
    ///   - suggestion: the valid word that is most similar.
    ///   - column: the column of the wrong word in its line.
    package init(reported sentence: String, kind: Kind, word: String?, suggestion: String?, column: Int?) {
        (self.kind, self.word, self.suggestion, self.column) = (kind, word, suggestion, column)
        let beginning = word.map { "\"\($0)\" " } ?? ""
        reason = String(sentence.dropFirst(sentence.hasPrefix(beginning) ? beginning.count : 0))
    }

    /// Returns the error with a position, unless it has one.
    package func at(file: String?, line: Int?) -> ScenarioError {
        var error = self
        error.file = error.file ?? file
        error.line = error.line ?? line
        return error
    }

    /// Returns the error with the name of the scenario, unless it has one.
    package func named(_ name: String?) -> ScenarioError { at(file: name, line: nil) }

    /// A sentence with the position, the word and the reason, as in `shop.scenario:3:5: "swrod" is …`.
    public var description: String {
        let place = [file, line.map(String.init), line == nil ? nil : column.map(String.init)].compactMap(\.self)
        let prefix = place.isEmpty ? "" : place.joined(separator: ":") + ": "
        return prefix + sentence
    }

    /// A sentence with the word and the reason.
    var sentence: String { (word.map { "\"\($0)\" " } ?? "") + reason }

    /// The description.
    public var errorDescription: String? { description }
}
