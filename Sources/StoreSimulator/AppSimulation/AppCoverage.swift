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

    private(set) var steps: [AppStep.Kind: [State: Int]] = [:]
    private(set) var totals: [AppStep.Kind: Int] = [:]
    private(set) var kills: [AppProcess.Boundary: Int] = [:]
    var count: Int { totals.values.reduce(0, +) }

    mutating func note(_ kind: AppStep.Kind, in states: [State]) {
        totals[kind, default: 0] += 1
        for state in states { steps[kind, default: [:]][state, default: 0] += 1 }
    }

    mutating func noteKill(at boundary: AppProcess.Boundary) { kills[boundary, default: 0] += 1 }

    mutating func add(_ other: AppCoverage) {
        for (kind, times) in other.totals { totals[kind, default: 0] += times }
        for (kind, states) in other.steps {
            for (state, times) in states { steps[kind, default: [:]][state, default: 0] += times }
        }
        for (boundary, times) in other.kills { kills[boundary, default: 0] += times }
    }

    /// A table: a line for each kind of step, a column for each state, and the boundaries of kills.
    var table: String {
        let names = State.allCases.map(\.rawValue)
        let width = AppStep.Kind.allCases.map(\.rawValue.count).max() ?? 0
        func cell(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(width - text.count, 0)) + text
        }
        var lines = [cell("", width) + names.map { cell($0, $0.count + 2) }.joined()]
        for kind in AppStep.Kind.allCases {
            let cells = State.allCases.map { cell("\(steps[kind]?[$0] ?? 0)", $0.rawValue.count + 2) }
            lines.append(kind.rawValue + String(repeating: " ", count: width - kind.rawValue.count) + cells.joined())
        }
        lines.append("killed at:")
        for boundary in AppProcess.Boundary.allCases { lines.append("  \(boundary.rawValue) \(kills[boundary] ?? 0)") }
        return lines.joined(separator: "\n")
    }
}
