import StoreContract

/// A count of the steps, by kind and by the states of the app and its store in which they occurred.
struct AppCoverage: Sendable {
    /// A state of the app or its store in which a step may occur.
    enum State: Int, CaseIterable, Sendable {
        case atRest, undecided, interrupted, unfinished, offline, subscribed, lapsed, refunded, otherUser, secondDevice

        fileprivate var name: String {
            switch self {
            case .atRest: "at rest"
            case .otherUser: "other user"
            case .secondDevice: "second device"
            case .undecided, .interrupted, .unfinished, .offline, .subscribed, .lapsed, .refunded: "\(self)"
            }
        }
    }

    /// A set of states, in the bits of a number.
    struct States {
        private var bits = 0

        mutating func insert(_ state: State) { bits |= 1 << state.rawValue }

        var isEmpty: Bool { bits == 0 }

        /// Calls a body with the raw value of each state in the set.
        func forEach(_ body: (Int) -> Void) {
            var rest = bits
            while rest != 0 {
                body(rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }

    /// The indices of the columns before the states, and of the first state's column.
    private static let (drawn, acted, firstState) = (0, 1, 2)
    private static let width = firstState + State.allCases.count

    /// The cells of the table, row after row.
    private var cells = [Int](repeating: 0, count: AppStep.Row.allCases.count * Self.width)
    private var kills: [AppProcess.Boundary: Int] = [:]
    /// The number of messages with a fault, by point.
    private var faults: [String: Int] = [:]

    private func row(_ row: AppStep.Row) -> ArraySlice<Int> {
        cells[row.rawValue * Self.width..<(row.rawValue + 1) * Self.width]
    }
    private func number(_ column: Int, of row: AppStep.Row) -> Int { cells[row.rawValue * Self.width + column] }

    /// The number of steps, including those without an effect.
    var count: Int { AppStep.Row.allCases.reduce(0) { $0 + number(Self.drawn, of: $1) } }

    /// The number of steps of a kind that had an effect.
    func count(of kind: AppStep.Kind) -> Int {
        AppStep.Row.allCases.reduce(0) { $0 + ($1.kind == kind ? number(Self.acted, of: $1) : 0) }
    }

    /// Returns the number of lives and steps, and those of some steps that never had an effect, in one line.
    func summary(lives: Int, of rows: [AppStep.Row], outcome: String = "") -> String {
        let missing = rows.filter { number(Self.acted, of: $0) == 0 }.map { "\($0)" }
        let count = "\(Self.text(lives, "life", "lives")), \(Self.text(count, "step", "steps"))\(outcome)"
        return missing.isEmpty ? count : "\(count); never tried: \(missing.joined(separator: ", "))"
    }

    /// Returns a number with its thousands apart, and a noun, as in `1,600 steps`.
    private static func text(_ number: Int, _ one: String, _ many: String) -> String {
        var digits = "\(number)"
        for place in stride(from: digits.count - 3, to: 0, by: -3) {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
        }
        return "\(digits) \(number == 1 ? one : many)"
    }

    mutating func note(_ step: AppStep, in states: States, hasActed: Bool) {
        let start = step.row.rawValue * Self.width
        cells[start + Self.drawn] += 1
        guard hasActed else { return }
        cells[start + Self.acted] += 1
        states.forEach { cells[start + Self.firstState + $0] += 1 }
    }

    /// The name under which faults of Store Kit 2 queries about the user's purchases are counted, in place of a point.
    static let question = "history"

    /// Adds to the number of messages that had a fault at a point.
    mutating func noteFaults(_ count: Int, of point: String) {
        if count > 0 { faults[point, default: 0] += count }
    }

    mutating func noteKill(at boundary: AppProcess.Boundary) { kills[boundary, default: 0] += 1 }

    mutating func add(_ other: AppCoverage) {
        for index in cells.indices { cells[index] += other.cells[index] }
        for (boundary, times) in other.kills { kills[boundary, default: 0] += times }
        for (point, times) in other.faults { faults[point, default: 0] += times }
    }

    /// A table with a line for each kind of step, followed by the boundaries of kills and the messages with a fault.
    ///
    /// A line shows how often the step was drawn, how often it had an effect, and in which states.
    var table: String {
        let names = ["drawn", "acted"] + State.allCases.map(\.name)
        let width = AppStep.Row.allCases.map { "\($0)".count }.max() ?? 0
        func cell(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(width - text.count, 0)) + text
        }
        var lines = [cell("", width) + names.map { cell($0, $0.count + 2) }.joined()]
        for name in AppStep.Row.allCases {
            let cells = zip(row(name), names).map { cell("\($0)", $1.count + 2) }
            lines.append("\(name)" + cell("", width - "\(name)".count) + cells.joined())
        }
        lines.append("killed at:")
        for boundary in AppProcess.Boundary.allCases { lines.append("  \(boundary.rawValue) \(kills[boundary] ?? 0)") }
        lines.append("faults met:")
        for point in FaultInjector.Point.allCases.map(\.rawValue) + [Self.question] {
            lines.append("  \(point) \(faults[point] ?? 0)")
        }
        return lines.joined(separator: "\n")
    }
}
