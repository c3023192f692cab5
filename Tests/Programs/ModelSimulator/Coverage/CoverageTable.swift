// Reports of the coverage of runs.
extension Coverage {
    /// The number of times that each pair was met; impossible pairs are left out.
    var reached: [String: Int] {
        var pairs: [String: Int] = [:]
        for state in State.allCases {
            for event in Event.allCases where Self.reason(state, event) == nil {
                pairs["\(state), \(event)"] = times(state, event)
            }
        }
        return pairs
    }

    /// The impossible pairs, each with the reason.
    static var impossible: [String: String] {
        var pairs: [String: String] = [:]
        for state in State.allCases {
            for event in Event.allCases { pairs["\(state), \(event)"] = reason(state, event) }
        }
        return pairs
    }

    private static let transactions: [State] = [
        .purchasing, .deferred, .purchased, .failed, .restored, .renewed, .finished, .interrupted, .resolved,
        .elsewhere, .shared, .refunded,
    ]
    private static let payments: [State] = [.kept, .sent, .answered, .unknown, .givenUp, .retried, .downloading]

    /// A table for transactions, one for payments in flight and one for subscriptions, then the direct transport, and
    /// the pairs that were not met and why.
    var table: String {
        let subscriptions = State.allCases.filter { !Self.transactions.contains($0) && !Self.payments.contains($0) }
        let parts = tables([Self.transactions, Self.payments, subscriptions]) + (direct.isEmpty ? [] : [direct.table])
        return (parts + [notes]).joined(separator: "\n\n")
    }

    /// The share that was met, and where most is missing: two lines at the most.
    var summary: String {
        let pairs = State.allCases.flatMap { state in Event.allCases.map { (state, $0) } }
            .filter { Self.reason($0, $1) == nil }
        let missing = pairs.filter { times($0, $1) == 0 }
        let met = pairs.count - missing.count
        let figures = "met: \(met) of \(pairs.count) pairs of a state and an event, \(100 * met / pairs.count) %"
        if missing.isEmpty { return figures }
        let events = Self.mostFrequent(missing.map(\.1.rawValue))
        let states = Self.mostFrequent(missing.map(\.0.rawValue))
        return "\(figures)\nnot met: \(missing.count), most of them of the events \(events) and the states \(states)"
    }

    /// Returns the three most frequent names, each with its count.
    private static func mostFrequent(_ names: [String]) -> String {
        let counts = names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3)
            .map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
    }

    private func tables(_ groups: [[State]]) -> [String] {
        groups.map { states in
            let header = Self.cell("") + "   " + states.map { Self.cell($0.rawValue) }.joined()
            let rows = Event.allCases.map { event in
                let name = event.rawValue
                let title = name + String(repeating: " ", count: max(1, Self.width + 3 - name.count))
                return title + states.map { Self.cell(figure($0, event)) }.joined()
            }
            return ([header] + rows).joined(separator: "\n")
        }
    }

    private static let width = 15

    private static func cell(_ text: String) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }

    private func figure(_ state: State, _ event: Event) -> String {
        Self.reason(state, event) == nil ? String(times(state, event)) : "-"
    }

    private var notes: String {
        let reasons = Dictionary(grouping: Self.impossible.keys) { Self.impossible[$0] ?? "" }
        var lines = reasons.map { "- \($0): \($1.sorted().joined(separator: "; "))" }.sorted()
        let missing = reached.filter { $0.value == 0 }.keys.sorted()
        if !missing.isEmpty { lines.append("not met: \(missing.joined(separator: "; "))") }
        return lines.joined(separator: "\n")
    }
}
