/// The order of the ledger's events, which has to explain what everybody asked and was told.
///
/// When an app is told that something is removed says nothing of the ledger: its journal has the finish by then, and the store
/// perhaps not yet.
struct OrderOfEvents {
    private let facts: LedgerFacts

    /// An event, and what is known of it by a clock that all processes share.
    private struct Event {
        let name: String
        let place: Int
        /// The time before which nobody had asked for it.
        var asked: UInt64 = 0
        /// The time at which somebody knew of it.
        var known = UInt64.max
        /// Whether it was asked once, and has arrived while the app ran that asked.
        var isInOrder = false
    }

    init(_ facts: LedgerFacts) { self.facts = facts }

    /// Returns what contradicts one app's order: the store takes what it asks in order, and each launch is told of sales in
    /// the ledger's order.
    func contradictions(_ told: Told) -> [String] {
        var lines: [String] = []
        for launch in told.launches {
            var last = -1
            for transaction in launch {
                guard let place = facts.places.sales[transaction] else { continue }
                if place < last { lines.append("the sale of #\(transaction) was told after a later one") }
                last = place
            }
        }
        var last = Event(name: "", place: -1)
        for event in events(told) where event.isInOrder {
            if event.place <= last.place {
                lines.append("\(event.name) was asked after \(last.name), and precedes it in the ledger")
            }
            last = event
        }
        return lines
    }

    /// Returns what was known before something was asked that precedes it in the ledger, given the apps, and for each account
    /// the times at which a server was about to add it and was told that it is added.
    func contradictions(_ told: [Told], accounts: [String: (asked: UInt64, known: UInt64?)]) -> [String] {
        var events = told.flatMap { self.events($0) }
        for (name, times) in accounts {
            guard let place = facts.places.accounts[name] else { continue }
            events.append(Event(name: name, place: place, asked: times.asked, known: times.known ?? .max))
        }
        var lines: [String] = []
        var latest = Event(name: "", place: -1)
        for event in events.sorted(by: { $0.place < $1.place }) {
            if event.known < latest.asked {
                lines.append("\(event.name) was known before \(latest.name) was asked, and follows it in the ledger")
            }
            if event.asked > latest.asked { latest = event }
        }
        return lines
    }

    /// Returns what an app asked for and the ledger has, in the app's order, each where it was asked first.
    private func events(_ told: Told) -> [Event] {
        var indexes: [String: Int] = [:]
        var events: [Event] = []
        for (request, time) in told.requests {
            let isInOrder = told.confirmed.contains(request)
            switch request {
            case .purchase(let name):
                guard let transaction = told.transactions[name], let place = facts.places.sales[transaction] else {
                    continue
                }
                let known = told.times[transaction] ?? .max
                let name = "the purchase \(name)"
                events.append(Event(name: name, place: place, asked: time, known: known, isInOrder: isInOrder))
            case .finish(let name):
                guard let place = facts.places.finishes[told.transactions[name] ?? name] else { continue }
                if let index = indexes[name] {
                    // Which of them the ledger has is not known.
                    events[index].isInOrder = false
                } else {
                    indexes[name] = events.count
                    events.append(Event(name: "the finish of \(name)", place: place, asked: time, isInOrder: isInOrder))
                }
            }
        }
        return events
    }
}
