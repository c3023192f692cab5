extension ScenarioAnswer {
    /// Returns the lines of the text, with the rows of a table folded to a width.
    ///
    /// A row that is too long continues in indented lines, at the same columns in every row. A cell that is longer than a
    /// line is cut.
    ///
    /// - Parameter width: the maximum number of characters in a line of the table; nil for any number.
    /// - Returns: the lines, and the indices of those that name the columns.
    package func lines(fitting width: Int?) -> (lines: [String], header: Range<Int>) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let headerLine, headerLine < lines.count else { return (lines, 0..<0) }
        let table = lines[headerLine...]
        guard let width, table.contains(where: { $0.count > width }) else {
            return (lines, headerLine..<headerLine + 1)
        }
        let folded = FoldedTable(table, width: max(width, FoldedTable.minimumWidth))
        return (lines[..<headerLine] + folded.lines, headerLine..<headerLine + folded.linesPerRow)
    }
}

/// A table whose rows are folded into several lines.
private struct FoldedTable {
    private(set) var lines: [String] = []
    let linesPerRow: Int

    static let minimumWidth = 20
    private static let indentation = 4

    /// Folds the lines of a table, the first of which names the columns.
    init(_ table: ArraySlice<String>, width: Int) {
        let starts = Self.starts(of: table.first ?? "")
        let rows = table.map { Self.cells(of: $0, starts) }
        let widths = starts.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var groups: [Range<Int>] = []
        var (start, end) = (0, 0)
        for (column, length) in widths.enumerated() {
            let place = column == start ? Self.margin(groups.count) : end + 2
            if column > start, place + length > width {
                groups.append(start..<column)
                (start, end) = (column, Self.margin(groups.count) + length)
            } else {
                end = place + length
            }
        }
        groups.append(start..<widths.count)
        linesPerRow = groups.count
        for row in rows {
            for (index, group) in groups.enumerated() {
                let margin = Self.margin(index)
                let cells = group.map { column in
                    Self.padded(Self.cut(row[column], to: width - margin), to: widths[column])
                }
                let line = Self.padded("", to: margin) + cells.joined(separator: "  ")
                lines.append(Self.trimmed(line))
            }
        }
    }

    /// Returns the indentation of the line of a row.
    private static func margin(_ line: Int) -> Int { line == 0 ? 0 : indentation }

    /// Returns the places where the columns begin; the name of a column has no spaces.
    private static func starts(of header: String) -> [Int] {
        var starts: [Int] = []
        var previous: Character = " "
        for (place, character) in header.enumerated() {
            if previous == " ", character != " " { starts.append(place) }
            previous = character
        }
        return starts
    }

    private static func cells(of line: String, _ starts: [Int]) -> [String] {
        let characters = Array(line)
        return starts.indices.map { column in
            let start = min(starts[column], characters.count)
            let end = column + 1 < starts.count ? min(starts[column + 1], characters.count) : characters.count
            return Self.trimmed(String(characters[start..<end]))
        }
    }

    /// Returns a text without the spaces at its end.
    private static func trimmed(_ text: String) -> String { text.replacing(/\s+$/, with: "") }

    private static func cut(_ cell: String, to width: Int) -> String {
        cell.count > width ? cell.prefix(width - 1) + "…" : cell
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
