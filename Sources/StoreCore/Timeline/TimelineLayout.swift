/// Where everything of a picture is, in pixels.
struct TimelineLayout {
    static let rowHeight = 26
    static let lineHeight = 18
    static let pauseHeight = 32

    /// The distance of two lanes.
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

    /// Returns the path of a link, between two lanes: aside, down beside the first, aside again.
    func path(from source: (lane: Int, y: Int), to target: (lane: Int, y: Int)) -> String {
        let (start, end) = (x(source.lane), x(target.lane))
        let gutter = start + (end < start ? -pitch / 2 : pitch / 2)
        let radius = pitch / 4
        let (out, back) = (gutter > start ? radius : -radius, end > gutter ? radius : -radius)
        return "M\(start) \(source.y)H\(gutter - out)q\(out) 0 \(out) \(radius)V\(target.y - radius)"
            + "q0 \(radius) \(back) \(radius)H\(end)"
    }
}
