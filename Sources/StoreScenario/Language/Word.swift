/// A word of a scenario's line, with its place.
struct Word: Hashable, Sendable {
    /// The word without its quotes.
    let text: String
    /// The number of the character in its line at which it begins, from 1; nil for a word of no line.
    let column: Int?
    /// Whether it was written in quotes, so that it is no option.
    var isQuoted = false

    /// The option's name, if the word is one.
    var option: String? { !isQuoted && text.hasPrefix("--") && text.count > 2 ? text : nil }

    /// The word as it has to be written to be read again.
    var source: String { Self.source(of: text, isQuoted: isQuoted) }

    /// Returns a text as a word of a line.
    static func source(of text: String, isQuoted: Bool = false) -> String {
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
