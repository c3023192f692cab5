/// The lanes of a picture: each account with its devices, devices without an account, the store, and the server.
struct TimelineLanes {
    /// An account and its devices, or the lanes that the other accounts and devices share.
    struct Group {
        let name: String
        let lanes: Range<Int>
    }

    /// The maximum number of lanes for accounts, and for devices; with more of them, the last lane is shared.
    static let limit = 8

    private(set) var all: [TimelineLane] = []
    private(set) var groups: [Group] = []
    private var places: [TimelineLane: Int] = [:]
    /// The devices that have one lane for themselves and another for their queue.
    private let divided: Set<String>

    /// Sorts the lanes that events need.
    ///
    /// - Parameters:
    ///   - needed: the lanes of the events that are drawn, and of the queues that sent commands.
    ///   - entries: all events, which tell who uses which device.
    init(_ needed: [TimelineLane], _ entries: [SandboxTimeline.Entry]) {
        let told = Set(entries.lazy.filter { $0.kind == .delivery }.compactMap(\.device))
        divided = Set(needed.lazy.filter { $0.kind == .queue }.compactMap(\.name)).intersection(told)
        var owners: [String: String] = [:]
        for entry in entries {
            if let device = entry.device, let account = entry.account, owners[device] == nil {
                owners[device] = account
            }
        }
        var (accounts, devices, found): ([String], [String], Set<TimelineLane>) = ([], [], [])
        var (isKnownAccount, isKnownDevice): (Set<String>, Set<String>) = ([], [])
        for lane in needed where found.insert(lane).inserted {
            guard let name = lane.name else { continue }
            let account = lane.kind == .account ? name : owners[name]
            if lane.kind != .account, isKnownDevice.insert(name).inserted { devices.append(name) }
            if let account, isKnownAccount.insert(account).inserted { accounts.append(account) }
        }
        let ownDevices = Self.own(devices)
        for account in Self.own(accounts) {
            let start = all.count
            add(TimelineLane(kind: .account, name: account), found)
            for device in ownDevices where owners[device] == account { add(device: device, found) }
            groups.append(Group(name: account, lanes: start..<all.count))
        }
        let grouped = Set(groups.map(\.name))
        for device in ownDevices where owners[device].map(grouped.contains) != true { add(device: device, found) }
        let start = all.count
        addOthers(.account, accounts.dropFirst(Self.limit - 1), found, isMeant: accounts.count > Self.limit)
        for kind in [TimelineLane.Kind.device, .queue] {
            addOthers(kind, devices.dropFirst(Self.limit - 1), found, isMeant: devices.count > Self.limit)
        }
        if all.count > start { groups.append(Group(name: "others", lanes: start..<all.count)) }
        add(.store, found)
        add(.server, found)
    }

    /// The index of a needed lane, from the left.
    subscript(lane: TimelineLane) -> Int {
        places[lane] ?? lane.name.flatMap { places[TimelineLane(kind: .device, name: $0)] } ?? 0
    }

    private static func own(_ names: [String]) -> [String] {
        names.count > limit ? Array(names.prefix(limit - 1)) : names
    }

    private mutating func add(_ lane: TimelineLane, _ found: Set<TimelineLane>) {
        guard found.contains(lane) else { return }
        places[lane] = all.count
        all.append(lane)
    }

    /// Adds a device and its queue: in one lane, unless both have events.
    private mutating func add(device name: String, _ found: Set<TimelineLane>) {
        let (device, queue) = (TimelineLane(kind: .device, name: name), TimelineLane(kind: .queue, name: name))
        guard divided.contains(name) else {
            places[device] = all.count
            return all.append(device)
        }
        add(device, found)
        add(queue, found)
    }

    private mutating func addOthers(
        _ kind: TimelineLane.Kind,
        _ names: ArraySlice<String>,
        _ found: Set<TimelineLane>,
        isMeant: Bool
    ) {
        let others = names.map { TimelineLane(kind: kind, name: $0) }.filter(found.contains)
        guard isMeant, !others.isEmpty else { return }
        for lane in others { places[lane] = all.count }
        all.append(TimelineLane(kind: kind))
    }
}
