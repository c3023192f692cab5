import Foundation
import StoreCore

/// A word of a scenario's line, with its position.
package struct Word: Hashable, Sendable {
    /// The word without its quotes.
    let text: String
    /// The column at which the word begins in its line, from 1; nil for a word outside a line.
    let column: Int?
    /// Whether the word was written in quotation marks, so it is not an option.
    var isQuoted = false

    /// The name of the option if the word is one; otherwise nil.
    var option: String? { !isQuoted && text.hasPrefix("--") && text.count > 2 ? text : nil }

    /// The word, quoted if necessary so it can be parsed again.
    var source: String { Self.source(of: text, isQuoted: isQuoted) }

    /// Returns a text in the form of a word in a line, quoted if necessary.
    package static func source(of text: String, isQuoted: Bool = false) -> String {
        let isPlain = !text.isEmpty && !text.hasPrefix("#") && !text.contains { $0.isWhitespace || "\"\\".contains($0) }
        if isPlain, !isQuoted || !text.hasPrefix("--") { return text }
        var source = "\""
        for character in text {
            switch character {
            case "\"", "\\": source += "\\\(character)"
            case "\n": source += "\\n"
            default: source.append(character)
            }
        }
        return source + "\""
    }
}

extension Word {
    /// Splits a line into its words.
    ///
    /// Words are separated by spaces. A word in quotation marks may contain spaces, `\"`, `\\` and `\n`. A `#` at the
    /// beginning of a word begins a comment.
    static func words(of line: String) throws(ScenarioError) -> [Word] {
        var words: [Word] = []
        let characters = Array(line)
        var index = 0
        while index < characters.count {
            let first = characters[index]
            if first.isWhitespace {
                index += 1
            } else if first == "#" {
                break
            } else if first == "\"" {
                words.append(try quoted(characters, &index))
            } else {
                let start = index
                while index < characters.count, !characters[index].isWhitespace { index += 1 }
                words.append(Word(text: String(characters[start..<index]), column: start + 1))
            }
        }
        return words
    }

    private static func quoted(_ characters: [Character], _ index: inout Int) throws(ScenarioError) -> Word {
        let start = index
        var text = ""
        index += 1
        while index < characters.count {
            let character = characters[index]
            index += 1
            switch character {
            case "\"":
                guard index == characters.count || characters[index].isWhitespace else {
                    throw ScenarioError("a space belongs behind the closing quotation mark", column: index + 1)
                }
                return Word(text: text, column: start + 1, isQuoted: true)
            case "\\":
                guard index < characters.count, let escaped = escapes[characters[index]] else {
                    throw ScenarioError(#"a backslash goes before ", \ or n"#, column: index)
                }
                text.append(escaped)
                index += 1
            default: text.append(character)
            }
        }
        throw ScenarioError("the quotation mark is not closed", column: start + 1)
    }

    private static let escapes: [Character: Character] = ["\"": "\"", "\\": "\\", "n": "\n"]
}

/// A suggestion for a misspelled name.
package enum Suggestion {
    /// Returns `; did you mean "…"?` if one of the names is similar; otherwise an empty text.
    package static func text(for word: String, among names: [String]) -> String {
        name(for: word, among: names).map { text(for: $0) } ?? ""
    }

    /// Returns the end of a sentence about an invalid word, as in `; use one of red, green`; empty without names, and for
    /// more names than a sentence should have.
    package static func list(_ names: [String]) -> String {
        guard (1...mostNames).contains(names.count) else { return "" }
        return "; use \(names.count == 1 ? "" : "one of ")\(names.joined(separator: ", "))"
    }

    /// The maximum number of names that a sentence lists.
    private static let mostNames = 16

    /// Returns the name that is most similar to a word; nil if none is similar.
    package static func name(for word: String, among names: [String]) -> String? {
        let known = names.map { ($0, distance(word.lowercased(), $0.lowercased())) }
        guard let best = known.min(by: { $0.1 < $1.1 }), best.1 <= max(1, min(word.count, best.0.count) / 3) else {
            return nil
        }
        return best.0
    }

    /// Returns the end of a sentence that suggests a name.
    package static func text(for name: String) -> String { "; did you mean \"\(name)\"?" }

    /// Returns the edit distance of two texts: the number of characters to insert, delete, replace or swap with a
    /// neighbor.
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.prefix(64)), Array(right.prefix(64)))
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var best = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}

extension StoreFailure {
    /// Creates a failure from the name of its code; nil for an unknown name.
    init?(word: String) {
        let reason = "the scenario lets it fail"
        if let code = Self.storeCodes[word] {
            self = .storeKit(code, reason)
        } else if let code = Self.networkCodes[word] {
            self = .network(code, reason)
        } else {
            return nil
        }
    }

    /// The names of all codes.
    static let words = storeCodes.keys.sorted() + networkCodes.keys.sorted()

    /// The code's name; nil for a code without one.
    package var word: String? {
        switch domain {
        case .storeKit: Code(rawValue: code).name
        case .network: Self.networkCodes.first { $0.value.rawValue == code }?.key
        }
    }

    private static let storeCodes: [String: Code] = {
        let codes = (0..<64).map(Code.init(rawValue:))
        return Dictionary(uniqueKeysWithValues: codes.compactMap { code in code.name.map { ($0, code) } })
    }()

    private static let networkCodes: [String: URLError.Code] = [
        "timedOut": .timedOut, "notConnectedToInternet": .notConnectedToInternet,
        "networkConnectionLost": .networkConnectionLost, "cannotConnectToHost": .cannotConnectToHost,
        "cannotFindHost": .cannotFindHost, "badServerResponse": .badServerResponse,
        "dataNotAllowed": .dataNotAllowed, "secureConnectionFailed": .secureConnectionFailed,
    ]
}
