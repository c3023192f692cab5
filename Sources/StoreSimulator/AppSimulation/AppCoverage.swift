/// A count of how often steps of each kind met the app and its store in each state.
struct AppCoverage: Sendable {
    /// A state that a step may meet.
    enum State: String, CaseIterable, Sendable {
        case atRest = "at rest"
        case undecided
        case interrupted
        case unfinished
        case offline
        case subscribed
        case lapsed
        case refunded
        case otherUser = "other user"
    }

    private struct Row {
        var drawn = 0
        var acted = 0
        var states: [State: Int] = [:]

        mutating func note(_ met: [State], hasActed: Bool) {
            drawn += 1
            guard hasActed else { return }
            acted += 1
            for state in met { states[state, default: 0] += 1 }
        }
    }

    private var rows: [AppStep.Row: Row] = [:]
    private var kills: [AppProcess.Boundary: Int] = [:]
    /// The number of steps, also of those that did nothing.
    var count: Int { rows.values.reduce(0) { $0 + $1.drawn } }

    /// The number of steps of a kind that did something.
    func count(of kind: AppStep.Kind) -> Int { rows.reduce(0) { $0 + ($1.key.kind == kind ? $1.value.acted : 0) } }

    mutating func note(_ step: AppStep, in states: [State], hasActed: Bool) {
        rows[step.row, default: Row()].note(states, hasActed: hasActed)
    }

    mutating func noteKill(at boundary: AppProcess.Boundary) { kills[boundary, default: 0] += 1 }

    mutating func add(_ other: AppCoverage) {
        for (name, row) in other.rows {
            rows[name, default: Row()].drawn += row.drawn
            rows[name]?.acted += row.acted
            for (state, times) in row.states { rows[name]?.states[state, default: 0] += times }
        }
        for (boundary, times) in other.kills { kills[boundary, default: 0] += times }
    }

    /// A table: a line for each step, with how often it was drawn, how often it did something, and in which states it did so;
    /// and the boundaries of kills.
    var table: String {
        let names = ["drawn", "acted"] + State.allCases.map(\.rawValue)
        let width = AppStep.Row.allCases.map(\.rawValue.count).max() ?? 0
        func cell(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(width - text.count, 0)) + text
        }
        var lines = [cell("", width) + names.map { cell($0, $0.count + 2) }.joined()]
        for name in AppStep.Row.allCases {
            let row = rows[name] ?? Row()
            let numbers = [row.drawn, row.acted] + State.allCases.map { row.states[$0] ?? 0 }
            let cells = zip(numbers, names).map { cell("\($0)", $1.count + 2) }
            lines.append(name.rawValue + cell("", width - name.rawValue.count) + cells.joined())
        }
        lines.append("killed at:")
        for boundary in AppProcess.Boundary.allCases { lines.append("  \(boundary.rawValue) \(kills[boundary] ?? 0)") }
        return lines.joined(separator: "\n")
    }
}
