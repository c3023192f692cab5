/// Functions for text in HTML and XML, and for its width.
enum MarkupText {
    /// Returns text escaped for markup, in elements and in attributes.
    ///
    /// Line breaks become spaces, and control characters, which XML forbids, U+FFFD.
    static func escaped(_ text: some StringProtocol) -> String {
        guard text.unicodeScalars.contains(where: { replacement(for: $0) != nil }) else { return String(text) }
        var result = ""
        for scalar in text.unicodeScalars {
            if let replacement = replacement(for: scalar) {
                result += replacement
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func replacement(for scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        case "\t", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": " "
        case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
        default: nil
        }
    }

    /// Returns an upper bound of the width of text, in digits of a proportional font.
    static func columns(_ text: some StringProtocol) -> Int { (halves(text) + 1) / 2 }

    /// Returns the width of text in halves of a digit.
    private static func halves(_ text: some StringProtocol) -> Int {
        var halves = 0
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x41...0x5A, 0x6D, 0x77, 0x40, 0x25: halves += 3
            case 0..<0x2000: halves += 2
            default: halves += 4
            }
        }
        return halves
    }

    /// Returns text that is at most as wide as a number of columns, with an ellipsis where it was cut.
    static func truncated(_ text: String, columns width: Int) -> String {
        // The end of the text that leaves a column for the ellipsis.
        var end = text.startIndex
        var taken = 0
        for place in text.indices {
            let next = text.index(after: place)
            taken += halves(text[place..<next])
            if taken > 2 * width { return text[..<end] + "…" }
            if taken <= 2 * (width - 1) { end = next }
        }
        return text
    }

    /// Breaks text into lines after its spaces, and within a word that is wider than a line.
    ///
    /// Joining the lines results in the original text.
    ///
    /// - Parameters:
    ///   - text: the text to break.
    ///   - width: the width of a line, in columns.
    ///   - start: the number of columns already used in the first line.
    /// - Returns: the lines, at least one.
    static func lines(_ text: String, width: Int, after start: Int) -> [String] {
        guard start + columns(text) > width else { return [text] }
        var lines: [String] = []
        var line = ""
        var room = width - start
        func isEmptyAtStart() -> Bool { lines.isEmpty && start > 0 && line.isEmpty }
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            var word = word[...]
            let space = line.isEmpty ? 0 : 1
            if space + columns(word) <= room {
                line += (space == 0 ? "" : " ") + word
                room -= space + columns(word)
                continue
            }
            if !line.isEmpty || isEmptyAtStart() {
                lines.append(line.isEmpty ? "" : line + " ")
                (line, room) = ("", width)
            }
            while columns(word) > width {
                var end = word.startIndex
                var taken = 0
                while end < word.endIndex, taken + columns(word[end...end]) <= width || end == word.startIndex {
                    taken += columns(word[end...end])
                    end = word.index(after: end)
                }
                lines.append(String(word[..<end]))
                word = word[end...]
            }
            line = String(word)
            room = width - columns(word)
        }
        return lines + [line]
    }
}
