import StoreCore

/// A search for words in the texts of rows, without regard to case.
///
/// A row is found if each word is in one of its texts. Texts repeat from row to row, so each is searched only once.
final class ConsoleSearch {
    private let words: [String]
    private var known: [[String: Bool]]

    /// Creates a search; nil or an empty text finds every row.
    init(_ text: String?) {
        words = (text ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        known = words.map { _ in [:] }
    }

    /// Returns whether a row is found.
    ///
    /// - Parameters:
    ///   - texts: the row's texts.
    ///   - number: the row's number, which is found only as a whole, possibly behind a `#`; nil for none.
    /// - Returns: whether each word is found.
    func finds(_ texts: [String?], number: String? = nil) -> Bool {
        words.indices.allSatisfy { index in
            if let number, words[index] == number || words[index] == "#\(number)" { return true }
            return texts.contains { $0.map { isIn($0, index) } ?? false }
        }
    }

    private func isIn(_ text: String, _ index: Int) -> Bool {
        if let known = known[index][text] { return known }
        let isIn = text.lowercased().contains(words[index])
        known[index][text] = isIn
        return isIn
    }

    /// Whether every row is found.
    var isEmpty: Bool { words.isEmpty }
}
