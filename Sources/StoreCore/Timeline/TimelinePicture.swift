import Foundation

/// The drawing of a timeline: one row below another, each event in its lane.
struct TimelinePicture {
    /// An event in its row.
    struct Event {
        /// The event's index in the timeline.
        let place: Int
        let kind: SandboxTimeline.Entry.Kind
        /// The time of day.
        let time: String
        /// Whether the time differs from the row above.
        let isNew: Bool
        /// The date and the time.
        let moment: String
        let lane: Int
        /// The lane of the queue that sent the command; nil unless the event is the command's first.
        let command: Int?
        /// The product with its quantity, and the transaction.
        let product: String?
        let transaction: String?
        /// The sentence, broken into lines.
        let lines: [String]
        /// The account and the device.
        let people: String
        /// The indices of the account and the product, for filters.
        let accountPlace: Int?
        let productPlace: Int?
        /// The indices of the events that led to this one.
        let sources: [Int]

        /// Returns the width of the event's text, in columns.
        func columns(withPeople: Bool) -> Int {
            let head = [product, transaction].compactMap { $0 }.reduce(0) { $0 + MarkupText.columns($1) + 1 }
            var widths = lines.map { MarkupText.columns($0) }
            widths[0] += head
            if withPeople { widths[widths.count - 1] += MarkupText.columns(people) + 2 }
            return widths.max() ?? 0
        }

        /// The whole event as text, for screen readers.
        var spoken: String {
            let subject = [product, transaction].compactMap { $0 }.joined(separator: " ")
            let sentence = lines.joined()
            let parts = [moment, people, kind.title, subject].filter { !$0.isEmpty }
            return "\(parts.joined(separator: ", ")): \(sentence)"
        }
    }

    /// A row that marks the start of a day, or a time without events.
    struct Pause {
        let day: String?
        let gap: String?

        var title: String { [day, gap.map { "\($0) later" }].compactMap { $0 }.joined(separator: ", ") }
    }

    /// Products, accounts and devices that are added at once.
    struct Fold {
        let time: String
        /// The events, with numbers of what they add.
        let title: String
        let events: [Event]
    }

    enum Row {
        case event(Event)
        case fold(Fold)
        case pause(Pause)
    }

    private(set) var rows: [Row] = []
    let lanes: TimelineLanes
    /// The names to filter by, in the order in which they appear.
    private(set) var accounts: [String] = []
    private(set) var products: [String] = []
    /// The kind of each event, and each kind that occurs.
    let eventKinds: [SandboxTimeline.Entry.Kind]
    let kinds: [SandboxTimeline.Entry.Kind]
    /// The number of events, as text.
    let count: String
    /// The number of events, and the first and the last day.
    let summary: String

    /// The width of a line of text, in columns: the picture of a few lanes is as wide as a page of text.
    private static let textWidth = 62

    /// The shortest time without events, in seconds, that is drawn as a row of its own.
    static let longestGap: TimeInterval = 60

    /// Draws a timeline.
    init(_ timeline: SandboxTimeline) {
        let entries = timeline.entries
        var sources = [[Int]](repeating: [], count: entries.count)
        for link in timeline.links { sources[link.target].append(link.source) }
        var ordered: Set<OrderID> = []
        // For each event that is the first of a command, the queue's lane.
        let commands = entries.map { entry -> TimelineLane? in
            guard let order = entry.order, let device = entry.device, entry.kind != .delivery, entry.kind != .finish,
                ordered.insert(order).inserted
            else { return nil }
            return TimelineLane(kind: .queue, name: device)
        }
        let folds = Self.folds(entries)
        let drawn = entries.indices.lazy.filter { folds[$0] == nil }.map { TimelineLane(of: entries[$0]) }
        let sorted = TimelineLanes(drawn + commands.compactMap { $0 }, entries)
        lanes = sorted
        eventKinds = entries.map(\.kind)
        let found = Set(eventKinds)
        kinds = SandboxTimeline.Entry.Kind.allCases.filter(found.contains)

        var accountPlaces = NamePlaces()
        var productPlaces = NamePlaces()
        // An event without an account or product has that of the event that led to it.
        var people: [(account: String?, product: String?)] = []
        people.reserveCapacity(entries.count)
        rows.reserveCapacity(entries.count)
        var folded: [Event] = []
        var last: (date: Date, day: String, moment: String)?
        var ends = ("", "")
        for (place, entry) in entries.enumerated() {
            let source = sources[place].last.map { people[$0] }
            let account = entry.account ?? source?.account
            let product = entry.productIdentifier ?? source?.product
            people.append((account, product))
            let moment = entry.date.universalText
            let day = String(moment.dropLast(9))
            let gap = last.map { entry.date.timeIntervalSince($0.date) } ?? 0
            // Shown again after each row that is no event.
            var isNew = last?.moment != moment
            if case .event = rows.last {} else { isNew = true }
            if last?.day != day || gap >= Self.longestGap {
                isNew = true
                rows.append(
                    .pause(
                        Pause(
                            day: last?.day == day ? nil : day,
                            gap: gap >= Self.longestGap ? Self.words(for: gap) : nil
                        )
                    )
                )
            }
            if last == nil { ends.0 = day }
            ends.1 = day
            last = (entry.date, day, moment)
            let name = entry.productIdentifier.map { SandboxTimeline.name(of: $0, entry.quantity) }
            let transaction = entry.transaction.map { "#\($0)" }
            let subject = [name, transaction].compactMap { $0 }
            let start = subject.reduce(0) { $0 + MarkupText.columns($1) + 1 }
            let who = [account, entry.device].compactMap { $0 }.joined(separator: ", ")
            let event = Event(
                place: place,
                kind: entry.kind,
                time: String(moment.suffix(8)),
                isNew: isNew,
                moment: moment,
                lane: sorted[TimelineLane(of: entry)],
                command: commands[place].map { sorted[$0] },
                product: name,
                transaction: transaction,
                lines: MarkupText.lines(entry.sentence, width: Self.textWidth, after: start),
                people: who,
                accountPlace: account.map { accountPlaces.place(of: $0) },
                productPlace: product.map { productPlaces.place(of: $0) },
                sources: sources[place]
            )
            guard let fold = folds[place] else {
                rows.append(.event(event))
                continue
            }
            folded.append(event)
            guard place == fold.upperBound - 1 else { continue }
            let title = Self.title(of: entries[fold])
            rows.append(.fold(Fold(time: event.time, title: title, events: folded)))
            folded = []
        }
        (accounts, products) = (accountPlaces.names, productPlaces.names)
        count = "\(entries.count) \(entries.count == 1 ? "event" : "events")"
        let days = ends.0 == ends.1 ? ends.0 : "\(ends.0) to \(ends.1)"
        summary = entries.isEmpty ? count : "\(count), \(days), in UTC"
    }

    /// The rows from the first event on that is not folded, with the title of what is folded before it; all rows if
    /// there is no such event.
    var story: (rows: [Row], before: String?) {
        guard rows.count > 2, case .fold(let fold) = rows[1] else { return (rows, nil) }
        var rest = rows[2...]
        guard case .pause(let pause) = rest.first else { return ([rows[0]] + rest, fold.title) }
        rest.removeFirst()
        guard case .pause(let start) = rows[0] else { return (rows, nil) }
        return ([.pause(Pause(day: pause.day ?? start.day, gap: nil))] + rest, fold.title)
    }

    /// Returns the fold to which each event belongs.
    ///
    /// A fold is a run of two or more additions without a pause among them; at the beginning, one is enough.
    private static func folds(_ entries: [SandboxTimeline.Entry]) -> [Range<Int>?] {
        var folds = [Range<Int>?](repeating: nil, count: entries.count)
        var start = 0
        for place in 0...entries.count {
            let goesOn =
                place > start && place < entries.count && entries[place].addition != nil
                && entries[place - 1].addition != nil && !isPause(entries[place - 1].date, entries[place].date)
            guard !goesOn else { continue }
            // At the beginning, a single product is set-up as well.
            let isSetUp = start == 0 && place == 1 && entries[0].addition != nil
            if place - start > 1 || isSetUp { for folded in start..<place { folds[folded] = start..<place } }
            start = place
        }
        return folds
    }

    /// Returns whether there is a row between two events: another day begins, or a long time is without events.
    private static func isPause(_ earlier: Date, _ later: Date) -> Bool {
        later.timeIntervalSince(earlier) >= longestGap
            || earlier.universalText.dropLast(9) != later.universalText.dropLast(9)
    }

    private static func title(of additions: ArraySlice<SandboxTimeline.Entry>) -> String {
        let parts = SandboxTimeline.Entry.Addition.allCases.compactMap { addition -> String? in
            let count = additions.count { $0.addition == addition }
            guard count > 0 else { return nil }
            let plural = count == 1 ? "" : "s"
            return
                switch addition
            {
            case .product: "\(count) product\(plural) registered"
            case .account: "\(count) account\(plural) opened"
            case .device: "\(count) device\(plural) set up"
            case .server: "servers notified"
            }
        }
        return parts.joined(separator: ", ")
    }

    /// Returns a duration in its two largest units.
    private static func words(for gap: TimeInterval) -> String {
        let seconds = Int(gap.rounded())
        let units = [
            (seconds / 86_400, "day"), (seconds / 3_600 % 24, "hour"), (seconds / 60 % 60, "minute"),
            (seconds % 60, "second"),
        ]
        let parts = units.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return parts.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " ")
    }
}

/// The distinct names, in order of appearance.
private struct NamePlaces {
    private(set) var names: [String] = []
    private var places: [String: Int] = [:]

    mutating func place(of name: String) -> Int {
        if let place = places[name] { return place }
        places[name] = names.count
        names.append(name)
        return names.count - 1
    }
}

extension SandboxTimeline.Entry.Kind {
    /// The state that an event of this kind leads to, in one or two words.
    var title: String {
        switch self {
        case .setting: "set up"
        case .order: "ordered"
        case .waiting: "waiting"
        case .sale: "sold"
        case .refusal: "refused"
        case .delivery: "told"
        case .finish: "finished"
        case .renewal: "renewed"
        case .restoration: "restored"
        case .subscription: "subscription"
        case .sharing: "family"
        case .refund: "refunded"
        case .deletion: "deleted"
        case .server: "server"
        case .notification: "notified"
        }
    }
}
