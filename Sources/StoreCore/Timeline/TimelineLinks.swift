/// The lines between the events of a picture: one path for all that lead to events of one kind.
struct TimelineLinks {
    let paths: [(kind: SandboxTimeline.Entry.Kind, path: String)]

    init(_ picture: TimelinePicture, _ layout: TimelineLayout) {
        var lanes: [Int] = []
        lanes.reserveCapacity(layout.centers.count)
        var paths: [SandboxTimeline.Entry.Kind: String] = [:]
        for case .event(let event) in picture.rows {
            lanes.append(event.lane)
            for source in event.sources {
                paths[event.kind, default: ""] += layout.path(
                    from: (lanes[source], layout.centers[source]),
                    to: (event.lane, layout.centers[event.place])
                )
            }
        }
        self.paths = picture.kinds.compactMap { kind in paths[kind].map { (kind, $0) } }
    }
}
