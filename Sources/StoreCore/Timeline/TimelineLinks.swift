/// The lines between the events of a picture: one path for each kind of event that they lead to, and one from commands
/// to their first events.
struct TimelineLinks {
    let paths: [(kind: SandboxTimeline.Entry.Kind, path: String)]
    private(set) var commands = ""

    init(_ picture: TimelinePicture, _ layout: TimelineLayout) {
        var lanes = [Int](repeating: 0, count: layout.centers.count)
        var paths: [SandboxTimeline.Entry.Kind: String] = [:]
        for case .event(let event) in picture.rows {
            lanes[event.place] = event.lane
            guard let center = layout.centers[event.place] else { continue }
            if let command = event.command, command != event.lane {
                commands += "M\(layout.lanes[command]) \(center)H\(layout.lanes[event.lane])"
            }
            for source in event.sources {
                guard let start = layout.centers[source] else { continue }
                paths[event.kind, default: ""] += layout.path(from: (lanes[source], start), to: (event.lane, center))
            }
        }
        self.paths = picture.kinds.compactMap { kind in paths[kind].map { (kind, $0) } }
    }
}
