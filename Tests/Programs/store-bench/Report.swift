import Foundation

/// A report that shows outcomes as they arrive: a readable table, or a line of JSON each.
struct Report {
    let isJSON: Bool

    func begin() {
        guard !isJSON else { return }
        show(Self.row("figure", "value", "floor", "unit", "ratio", "lowest-highest", "limit", "dream"))
    }

    func add(_ figure: Figure, _ outcome: Outcome, growth: [Growth.Point]) {
        show(isJSON ? Self.json(figure, outcome, growth) : Self.table(figure, outcome, growth))
    }

    static func list(_ figures: [Figure]) {
        for figure in figures {
            let limit = "at most \(bound(figure.limit)) times the floor"
            print(pad(figure.name, to: 26) + "\(figure.summary) (\(figure.unit); \(limit))")
        }
    }

    private func show(_ text: String) {
        print(text)
        // Into a pipe too, each line is out before the next figure begins.
        fflush(nil)
    }

    private static func table(_ figure: Figure, _ outcome: Outcome, _ growth: [Growth.Point]) -> String {
        var lines = [main(figure, outcome)]
        if let worst = outcome.worst, let floorWorst = outcome.floorWorst {
            lines.append(
                row("  worst single one", number(worst), number(floorWorst), figure.unit, ratio(worst / floorWorst))
            )
        }
        if let unit = figure.growth?.unit { lines += growth.map { row("  of \($0.size)", number($0.value), "", unit) } }
        return lines.joined(separator: "\n")
    }

    private static func main(_ figure: Figure, _ outcome: Outcome) -> String {
        row(
            figure.name + (outcome.ratio > figure.limit ? " (over)" : ""),
            number(outcome.value),
            number(outcome.floor),
            figure.unit,
            ratio(outcome.ratio),
            "\(ratio(outcome.lowestRatio))-\(ratio(outcome.highestRatio))",
            bound(figure.limit),
            figure.dream.map(bound) ?? ""
        )
    }

    private static func json(_ figure: Figure, _ outcome: Outcome, _ growth: [Growth.Point]) -> String {
        var members = [
            ("figure", quoted(figure.name)),
            ("value", number(outcome.value)),
            ("unit", quoted(figure.unit)),
            ("floor", number(outcome.floor)),
            ("ratio", ratio(outcome.ratio)),
            ("limit", bound(figure.limit)),
        ]
        if let dream = figure.dream { members.append(("dream", bound(dream))) }
        if let known = figure.knownFloor { members.append(("knownFloor", number(known))) }
        members.append(("lowestRatio", ratio(outcome.lowestRatio)))
        members.append(("highestRatio", ratio(outcome.highestRatio)))
        if let worst = outcome.worst { members.append(("worst", number(worst))) }
        if let floorWorst = outcome.floorWorst { members.append(("floorWorst", number(floorWorst))) }
        if let unit = figure.growth?.unit, !growth.isEmpty {
            members.append(("growthUnit", quoted(unit)))
            let points = growth.map { "{\"size\": \($0.size), \"value\": \(number($0.value))}" }
            members.append(("growth", "[" + points.joined(separator: ", ") + "]"))
        }
        return "{" + members.map { "\(quoted($0)): \($1)" }.joined(separator: ", ") + "}"
    }

    /// Quotes names and units, which need no escaping.
    private static func quoted(_ text: String) -> String { "\"\(text)\"" }

    /// Formats a number with at least three digits, without false precision.
    static func number(_ value: Double) -> String { decimal(value, digits: value < 10 ? 2 : value < 1000 ? 1 : 0) }

    static func ratio(_ value: Double) -> String { decimal(value, digits: 2) }

    static func bound(_ value: Double) -> String { String(format: "%g", value) }

    private static func decimal(_ value: Double, digits: Int) -> String { String(format: "%.\(digits)f", value) }

    private static let widths = [26, 12, 12, 16, 8, 16, 7, 7]

    /// Returns a row, names and units aligned left, numbers right.
    private static func row(_ cells: String...) -> String {
        let padded = zip(cells, widths).enumerated().map { column, cell in
            column == 0 || column == 3
                ? pad(cell.0, to: cell.1) : String(repeating: " ", count: max(0, cell.1 - cell.0.count)) + cell.0
        }
        return padded.joined(separator: " ")
    }

    private static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
