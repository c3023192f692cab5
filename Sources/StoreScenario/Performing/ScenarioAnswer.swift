/// The result of a command, as text and as JSON.
public struct ScenarioAnswer: Hashable, Sendable, CustomStringConvertible {
    /// The result as text, in one or several lines, without a line break at the end.
    public let text: String
    /// The result as one JSON value, in one line.
    ///
    /// A query returns one object, or an array with an object for each line. Any other command returns an object with
    /// the command's name in `command`, a sentence in `done`, and the transaction, if the command concerns one. The
    /// result of a refused step that begins with `try` has `refused`, with the reason, in place of `done`.
    public let json: String
    /// Whether the text is a table whose first line names the columns.
    package let hasHeader: Bool
    /// The index of the line that names the columns of the table at the end of the text; nil without a table.
    package let headerLine: Int?

    /// The text.
    public var description: String { text }

    package init(text: String, json: JSONValue, headerLine: Int? = nil) {
        self.text = text
        self.json = json.encoded
        self.headerLine = headerLine
        hasHeader = headerLine == 0
    }

    /// Creates a result that is a table with one row per object.
    ///
    /// - Parameters:
    ///   - rows: objects with the same keys in the same order. The keys are the columns.
    ///   - empty: the text if there are no rows.
    init(table rows: [JSONValue], empty: String) {
        let cells = rows.map { row -> [(String, String)] in
            guard case .object(let members) = row else { return [] }
            return members.map { ($0.key, Self.cell($0.value.text)) }
        }
        guard let first = cells.first else {
            self.init(text: empty, json: .array([]))
            return
        }
        // Empty columns are left out.
        let columns = first.indices.filter { column in cells.contains { !$0[column].1.isEmpty } }
        let lines = [columns.map { first[$0].0 }] + cells.map { row in columns.map { row[$0].1 } }
        let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let text = lines.map { line in
            let padded = zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return padded.joined(separator: "  ").replacing(/\s+$/, with: "")
        }
        self.init(text: text.joined(separator: "\n"), json: .array(rows), headerLine: 0)
    }

    /// Returns a text in one line, with `\n` for each line break.
    private static func cell(_ text: String) -> String {
        text.contains(where: \.isNewline) ? text.map { $0.isNewline ? "\\n" : "\($0)" }.joined() : text
    }
}
