/// The layout of help, in lines of at most 80 columns.
package enum HelpText {
    private static let width = 80

    /// Returns a text in lines, each of which ends with a line break.
    ///
    /// Lines are broken at spaces, and behind the vertical bars of a word that is longer than a line. A no-break space
    /// becomes a space.
    ///
    /// - Parameters:
    ///   - beginning: the beginning of the first line.
    ///   - text: the words.
    ///   - indentation: the width of the margin of all further lines; by default that of the beginning.
    /// - Returns: the lines.
    package static func fill(_ beginning: String, _ text: String, indentation: Int? = nil) -> String {
        let margin = String(repeating: " ", count: indentation ?? beginning.count)
        var lines = [beginning]
        var isEmpty = true
        for word in text.split(separator: " ") {
            for (index, part) in parts(of: word, longerThan: width - margin.count).enumerated() {
                let space = isEmpty || index > 0 ? "" : " "
                if !isEmpty, lines[lines.count - 1].count + space.count + part.count > width {
                    lines.append(margin + part)
                } else {
                    lines[lines.count - 1] += space + part
                }
                isEmpty = false
            }
        }
        return lines.map { "\($0.replacing(/\s+$/, with: ""))\n" }.joined().replacing("\u{A0}", with: " ")
    }

    private static func parts(of word: Substring, longerThan limit: Int) -> [Substring] {
        guard word.count > limit else { return [word] }
        return word.split(after: "|")
    }
}

extension Substring {
    /// Returns the parts of the text, each of which but the last ends with a character.
    fileprivate func split(after separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var rest = self
        while let end = rest.firstIndex(of: separator) {
            parts.append(rest[...end])
            rest = rest[index(after: end)...]
        }
        return rest.isEmpty ? parts : parts + [rest]
    }
}
