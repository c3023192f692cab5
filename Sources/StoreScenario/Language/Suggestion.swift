/// The nearest of some names to a name that is none of them.
package enum Suggestion {
    /// Returns `; did you mean "…"?` if one of the names is near, else an empty text.
    package static func text(for word: String, among names: [String]) -> String {
        let known = names.map { ($0, distance(word.lowercased(), $0.lowercased())) }
        guard let best = known.min(by: { $0.1 < $1.1 }), best.1 <= max(1, min(word.count, best.0.count) / 3) else {
            return ""
        }
        return "; did you mean \"\(best.0)\"?"
    }

    /// Returns how many characters have to be inserted, deleted, replaced or swapped with their neighbor.
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
