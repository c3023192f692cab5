/// The coverage of queues that ask their stores directly, and of the crashes there.
struct DirectCoverage {
    /// An event between a queue and its store.
    enum Event: String, CaseIterable {
        /// Commands are handed over.
        case exchange
        /// News is asked for.
        case pull
        /// News is given.
        case batch
        /// The store has news for a queue that does not ask.
        case ring
        // Faults: news shows late, commands are refused, arrive twice, or are taken and the answer is lost.
        case lateRing, refusal, repetition, lostAnswer
        /// A queue learns that its connection is closed.
        case lostConnection
    }

    /// A boundary at which a process crashes.
    enum Boundary: String, CaseIterable {
        // A connection is opened; commands leave the app and come to the store.
        case opening, sending, arrival
        // The store has answered, the app is about to take that in, and has.
        case answer, news, taken
        // An exchange's remaining work is begun and done.
        case afterwards, settled
        // A queue is rung.
        case ring, rung
        // The store writes to its ledger, and has.
        case append, appended
        // Observers are told, and know.
        case notice, noticed
    }

    /// The process that crashed.
    enum Target: String, CaseIterable { case app, store, both }

    private var events = Array(repeating: 0, count: Event.allCases.count)
    private var crashes = Array(repeating: 0, count: Boundary.allCases.count * Target.allCases.count)

    mutating func add(_ other: DirectCoverage) {
        for index in events.indices { events[index] += other.events[index] }
        for index in crashes.indices { crashes[index] += other.crashes[index] }
    }

    mutating func note(_ event: Event) { events[Self.index(event)] += 1 }

    mutating func noteCrash(of target: SimulatedOperation.CrashTarget, at boundary: Boundary) {
        crashes[Self.index(boundary, Target(target))] += 1
    }

    func times(_ event: Event) -> Int { events[Self.index(event)] }
    func times(_ boundary: Boundary, _ target: Target) -> Int { crashes[Self.index(boundary, target)] }

    private static func index(_ event: Event) -> Int { Event.allCases.firstIndex(of: event) ?? 0 }

    private static func index(_ boundary: Boundary, _ target: Target) -> Int {
        let row = Boundary.allCases.firstIndex(of: boundary) ?? 0
        return row * Target.allCases.count + (Target.allCases.firstIndex(of: target) ?? 0)
    }
}

extension DirectCoverage.Target {
    fileprivate init(_ target: SimulatedOperation.CrashTarget) {
        switch target {
        case .app: self = .app
        case .store: self = .store
        case .both: self = .both
        }
    }
}

// MARK: - Reading

extension DirectCoverage {
    /// The number of times that each event and each crash at a boundary was met, under names such as `ring` and
    /// `rung, store crashes`.
    var reached: [String: Int] {
        var figures: [String: Int] = [:]
        for event in Event.allCases { figures[event.rawValue] = times(event) }
        for boundary in Boundary.allCases {
            for target in Target.allCases { figures["\(boundary), \(target.verb)"] = times(boundary, target) }
        }
        return figures
    }

    /// Whether any queue asked its store.
    var isEmpty: Bool { times(.exchange) + times(.pull) == 0 }

    /// A list of the events, a table of the crashes, and all that was not met.
    var table: String {
        let events = Event.allCases.map { Self.line($0.rawValue, ["\(times($0))"]) }
        let header = Self.line("", Target.allCases.map(\.verb))
        let crashes = Boundary.allCases.map { boundary in
            Self.line(boundary.rawValue, Target.allCases.map { "\(times(boundary, $0))" })
        }
        let missing = reached.filter { $0.value == 0 }.keys.sorted()
        let notes = missing.isEmpty ? [] : ["not met on the direct transport: \(missing.joined(separator: "; "))"]
        let parts = [["the direct transport"] + events, [header] + crashes, notes]
        return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private static func line(_ title: String, _ cells: [String]) -> String {
        let padding = String(repeating: " ", count: max(1, 18 - title.count))
        return title + padding + cells.map { String(repeating: " ", count: max(1, 15 - $0.count)) + $0 }.joined()
    }
}

extension DirectCoverage.Target {
    fileprivate var verb: String {
        switch self {
        case .app: "app crashes"
        case .store: "store crashes"
        case .both: "both crash"
        }
    }
}
