/// A lane of a timeline's picture: where events of one account, device, queue, the store or the server are.
struct TimelineLane: Hashable {
    enum Kind: Hashable { case queue, device, account, store, server }

    let kind: Kind
    /// The name of the account or the device; nil for the lane of all that have none of their own.
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

    /// The label, cut to its width.
    var label: String {
        var label = title
        while MarkupText.columns(label) > Self.labelWidth { label = label.dropLast(2) + "…" }
        return label
    }
}

/// The lanes of a picture, from the app to the store: each device with its queue, accounts, the store, the server.
struct TimelineLanes {
    /// The number of accounts, and of devices, that have lanes of their own; the rest share one.
    static let limit = 8

    let all: [TimelineLane]
    private let places: [TimelineLane: Int]

    /// Sorts the lanes that events need.
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
        func addRest(_ kind: TimelineLane.Kind, _ names: ArraySlice<String>) {
            let rest = names.map { TimelineLane(kind: kind, name: $0) }.filter(found.contains)
            guard !rest.isEmpty else { return }
            for lane in rest { places[lane] = all.count }
            all.append(TimelineLane(kind: kind))
        }
        let (devices, accounts) = (names(.device), names(.account))
        for name in own(devices) {
            add(TimelineLane(kind: .queue, name: name))
            add(TimelineLane(kind: .device, name: name))
        }
        addRest(.queue, devices.dropFirst(own(devices).count))
        addRest(.device, devices.dropFirst(own(devices).count))
        for name in own(accounts) { add(TimelineLane(kind: .account, name: name)) }
        addRest(.account, accounts.dropFirst(own(accounts).count))
        add(.store)
        add(.server)
        self.all = all
        self.places = places
    }

    /// The place of a lane, from the left, one of those that were needed.
    subscript(lane: TimelineLane) -> Int { places[lane] ?? 0 }
}

extension TimelineLane {
    /// The lane of an event.
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
