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
    enum Place: String, CaseIterable {
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
    enum Victim: String, CaseIterable { case app, store, both }

    private var events = Array(repeating: 0, count: Event.allCases.count)
    private var deaths = Array(repeating: 0, count: Place.allCases.count * Victim.allCases.count)

    mutating func add(_ other: DirectCoverage) {
        for index in events.indices { events[index] += other.events[index] }
        for index in deaths.indices { deaths[index] += other.deaths[index] }
    }

    mutating func note(_ event: Event) { events[Self.index(event)] += 1 }

    mutating func noteDeath(of victim: Step.Mortal, at place: Place) {
        deaths[Self.index(place, Victim(victim))] += 1
    }

    func times(_ event: Event) -> Int { events[Self.index(event)] }
    func times(_ place: Place, _ victim: Victim) -> Int { deaths[Self.index(place, victim)] }

    private static func index(_ event: Event) -> Int { Event.allCases.firstIndex(of: event) ?? 0 }

    private static func index(_ place: Place, _ victim: Victim) -> Int {
        let row = Place.allCases.firstIndex(of: place) ?? 0
        return row * Victim.allCases.count + (Victim.allCases.firstIndex(of: victim) ?? 0)
    }
}

extension DirectCoverage.Victim {
    fileprivate init(_ mortal: Step.Mortal) {
        switch mortal {
        case .app: self = .app
        case .store: self = .store
        case .both: self = .both
        }
    }
}

// MARK: - Reading

extension DirectCoverage {
    /// The number of times that each event and each crash at a boundary was met, under names such as `ring` and
    /// `rung, store dies`.
    var reached: [String: Int] {
        var figures: [String: Int] = [:]
        for event in Event.allCases { figures[event.rawValue] = times(event) }
        for place in Place.allCases {
            for victim in Victim.allCases { figures["\(place), \(victim.verb)"] = times(place, victim) }
        }
        return figures
    }

    /// Whether any queue asked its store.
    var isEmpty: Bool { times(.exchange) + times(.pull) == 0 }

    /// A list of the events, a table of the crashes, and all that was not met.
    var table: String {
        let events = Event.allCases.map { Self.line($0.rawValue, ["\(times($0))"]) }
        let header = Self.line("", Victim.allCases.map(\.verb))
        let deaths = Place.allCases.map { place in
            Self.line(place.rawValue, Victim.allCases.map { "\(times(place, $0))" })
        }
        let missing = reached.filter { $0.value == 0 }.keys.sorted()
        let notes = missing.isEmpty ? [] : ["not met on the direct road: \(missing.joined(separator: "; "))"]
        let parts = [["the direct road"] + events, [header] + deaths, notes]
        return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private static func line(_ title: String, _ cells: [String]) -> String {
        let padding = String(repeating: " ", count: max(1, 18 - title.count))
        return title + padding + cells.map { String(repeating: " ", count: max(1, 15 - $0.count)) + $0 }.joined()
    }
}

extension DirectCoverage.Victim {
    fileprivate var verb: String {
        switch self {
        case .app: "app dies"
        case .store: "store dies"
        case .both: "both die"
        }
    }
}
