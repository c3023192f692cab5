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

        /// The width of the event's text, in columns.
        var columns: Int {
            let head = [product, transaction].compactMap { $0 }.reduce(0) { $0 + MarkupText.columns($1) + 1 }
            var widths = lines.map { MarkupText.columns($0) }
            widths[0] += head
            widths[widths.count - 1] += MarkupText.columns(people) + 2
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

    enum Row {
        case event(Event)
        case pause(Pause)
    }

    private(set) var rows: [Row] = []
    let lanes: [TimelineLane]
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

    /// The shortest time without events, in seconds, that is drawn as a row of its own.
    static let longestGap: TimeInterval = 60
    /// The width of a line of text, in columns.
    static let textWidth = 104

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
        let sorted = TimelineLanes(entries.map(TimelineLane.init(of:)) + commands.compactMap { $0 })
        lanes = sorted.all
        eventKinds = entries.map(\.kind)
        let found = Set(eventKinds)
        kinds = SandboxTimeline.Entry.Kind.allCases.filter(found.contains)

        var accountPlaces = NamePlaces()
        var productPlaces = NamePlaces()
        // An event without an account or product has that of the event that led to it.
        var people: [(account: String?, product: String?)] = []
        people.reserveCapacity(entries.count)
        rows.reserveCapacity(entries.count)
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
            let isNew = last?.moment != moment
            if last?.day != day || gap >= Self.longestGap {
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
            rows.append(
                .event(
                    Event(
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
                )
            )
        }
        (accounts, products) = (accountPlaces.names, productPlaces.names)
        count = "\(entries.count) \(entries.count == 1 ? "event" : "events")"
        let days = ends.0 == ends.1 ? ends.0 : "\(ends.0) to \(ends.1)"
        summary = entries.isEmpty ? count : "\(count), \(days), in UTC"
    }

    /// The width of the widest text, in columns.
    var widestText: Int { rows.lazy.map { if case .event(let event) = $0 { event.columns } else { 0 } }.max() ?? 0 }

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

/// The layout of a picture, in pixels.
struct TimelineLayout {
    static let rowHeight = 26
    static let lineHeight = 18
    static let pauseHeight = 32

    /// The distance between two lanes.
    let pitch: Int
    /// The width of all lanes.
    let width: Int
    /// The center of each event's first line.
    private(set) var centers: [Int] = []
    private(set) var height = 0

    init(_ picture: TimelinePicture) {
        pitch = picture.lanes.count > 12 ? 16 : 24
        width = picture.lanes.count * pitch
        for row in picture.rows {
            if case .event = row { centers.append(height + Self.rowHeight / 2) }
            height += Self.height(of: row)
        }
    }

    static func height(of row: TimelinePicture.Row) -> Int {
        switch row {
        case .event(let event): rowHeight + (event.lines.count - 1) * lineHeight
        case .pause: pauseHeight
        }
    }

    /// Returns the center of a lane.
    func x(_ lane: Int) -> Int { lane * pitch + pitch / 2 }

    /// Returns the path of a link, in the gutter between two lanes: sideways, down beside the first, sideways again.
    func path(from source: (lane: Int, y: Int), to target: (lane: Int, y: Int)) -> String {
        let (start, end) = (x(source.lane), x(target.lane))
        let gutter = start + (end < start ? -pitch / 2 : pitch / 2)
        let radius = pitch / 4
        let (out, back) = (gutter > start ? radius : -radius, end > gutter ? radius : -radius)
        return "M\(start) \(source.y)H\(gutter - out)q\(out) 0 \(out) \(radius)V\(target.y - radius)"
            + "q0 \(radius) \(back) \(radius)H\(end)"
    }
}

/// A lane of a timeline's picture, for the events of one account, device, queue, the store or the server.
struct TimelineLane: Hashable {
    enum Kind: Hashable { case queue, device, account, store, server }

    let kind: Kind
    /// The name of the account or the device; nil for the store, the server, and a lane that several accounts or
    /// devices share.
    var name: String?

    static let store = TimelineLane(kind: .store)
    static let server = TimelineLane(kind: .server)

    /// The label above the lane.
    var title: String {
        switch (kind, name) {
        case (.queue, let name?): "queue of \(name)"
        case (_, let name?): name
        case (.queue, nil): "other queues"
        case (.device, nil): "other devices"
        case (.account, nil): "other accounts"
        case (.store, nil): "store"
        case (.server, nil): "server"
        }
    }

    /// The width of a label, in columns.
    static let labelWidth = 22

    /// The label, truncated to its width.
    var label: String {
        var label = title
        while MarkupText.columns(label) > Self.labelWidth { label = label.dropLast(2) + "…" }
        return label
    }
}

/// The lanes of a picture, from the app to the store: each device with its queue, accounts, the store, the server.
struct TimelineLanes {
    /// The maximum number of lanes for accounts, and for devices; with more of them, the last lane is shared.
    static let limit = 8

    let all: [TimelineLane]
    private let places: [TimelineLane: Int]

    /// Sorts the lanes that the events need.
    init(_ needed: [TimelineLane]) {
        var order: [TimelineLane.Kind: [String]] = [:]
        var found: Set<TimelineLane> = []
        for lane in needed where found.insert(lane).inserted {
            if let name = lane.name { order[lane.kind == .queue ? .device : lane.kind, default: []].append(name) }
        }
        func names(_ kind: TimelineLane.Kind) -> [String] {
            var seen: Set<String> = []
            return (order[kind] ?? []).filter { seen.insert($0).inserted }
        }
        func own(_ names: [String]) -> [String] {
            names.count > Self.limit ? Array(names.prefix(Self.limit - 1)) : names
        }
        var all: [TimelineLane] = []
        var places: [TimelineLane: Int] = [:]
        func add(_ lane: TimelineLane) {
            guard found.contains(lane) else { return }
            places[lane] = all.count
            all.append(lane)
        }
        func addOthers(_ kind: TimelineLane.Kind, _ names: ArraySlice<String>) {
            let others = names.map { TimelineLane(kind: kind, name: $0) }.filter(found.contains)
            guard !others.isEmpty else { return }
            for lane in others { places[lane] = all.count }
            all.append(TimelineLane(kind: kind))
        }
        let (devices, accounts) = (names(.device), names(.account))
        for name in own(devices) {
            add(TimelineLane(kind: .queue, name: name))
            add(TimelineLane(kind: .device, name: name))
        }
        addOthers(.queue, devices.dropFirst(own(devices).count))
        addOthers(.device, devices.dropFirst(own(devices).count))
        for name in own(accounts) { add(TimelineLane(kind: .account, name: name)) }
        addOthers(.account, accounts.dropFirst(own(accounts).count))
        add(.store)
        add(.server)
        self.all = all
        self.places = places
    }

    /// The index of a needed lane, from the left.
    subscript(lane: TimelineLane) -> Int { places[lane] ?? 0 }
}

extension TimelineLane {
    /// Creates the lane of an event.
    init(of entry: SandboxTimeline.Entry) {
        let device = entry.device.map { TimelineLane(kind: .device, name: $0) }
        let account = entry.account.map { TimelineLane(kind: .account, name: $0) }
        switch entry.kind {
        case .notification, .server: self = .server
        case .finish: self = entry.device.map { TimelineLane(kind: .queue, name: $0) } ?? .server
        case .setting, .delivery: self = device ?? account ?? .store
        case .order, .waiting, .sale, .refusal, .renewal, .restoration, .subscription, .sharing, .refund, .deletion:
            self = account ?? device ?? .store
        }
    }
}
