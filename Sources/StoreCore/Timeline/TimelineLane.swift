/// A lane of a timeline's picture, for the events of one account, device, queue, the store or the server.
struct TimelineLane: Hashable {
    enum Kind: String, Hashable { case account, device, queue, store, server }

    let kind: Kind
    /// The name of the account or the device; nil for the store, the server, and a lane that several accounts or
    /// devices share.
    var name: String?

    static let store = TimelineLane(kind: .store)
    static let server = TimelineLane(kind: .server)

    /// The whole name of the lane.
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

    /// The label below the lane's glyph, empty for an account: the name of its group is its own.
    var label: String {
        switch kind {
        case .account: ""
        case .queue: name == nil ? "queues" : "queue"
        case .device: name ?? "devices"
        case .store, .server: title
        }
    }

    /// Whether the lane is for several accounts or devices.
    var isShared: Bool { name == nil && kind != .store && kind != .server }
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
