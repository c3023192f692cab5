/// The layout of a picture, in pixels.
struct TimelineLayout {
    static let rowHeight = 26
    static let lineHeight = 18
    static let pauseHeight = 32
    /// The height of the lanes' heads.
    static let headHeight = 60
    /// The number of rows after which heads are repeated.
    static let headInterval = 40
    /// The distance of a link from the center of the lane where it starts.
    static let gutter = 12

    private static let narrowLane = 32
    private static let widestLanes = 560

    /// The width of each lane.
    let widths: [Int]
    /// The center of each lane.
    let lanes: [Int]
    /// The width of all lanes.
    let width: Int
    /// Whether the lanes are so many that only their glyphs have space.
    let isCompact: Bool
    /// The center of each event's first line, or of the row in which the event is folded; nil for what is not drawn.
    private(set) var centers: [Int?]
    /// The tops of the repeated heads.
    private(set) var heads: [Int] = []
    private(set) var height = 0

    /// Lays out rows of a picture.
    ///
    /// - Parameters:
    ///   - picture: the picture.
    ///   - rows: the rows to draw.
    ///   - repeatsHeads: whether the heads of the lanes are repeated among the rows.
    init(_ picture: TimelinePicture, _ rows: [TimelinePicture.Row], repeatsHeads: Bool = false) {
        var widths = picture.lanes.all.map { lane in
            lane.label.isEmpty
                ? Self.narrowLane : min(max(Self.narrowLane, MarkupText.columns(lane.label) * 7 + 14), 96)
        }
        for group in picture.lanes.groups {
            let missing = min(MarkupText.columns(group.name) * 8 + 12, 140) - group.lanes.reduce(0) { $0 + widths[$1] }
            guard missing > 0 else { continue }
            for lane in group.lanes { widths[lane] += (missing + group.lanes.count - 1) / group.lanes.count }
        }
        isCompact = widths.reduce(0, +) > Self.widestLanes
        if isCompact { widths = widths.map { _ in Self.narrowLane } }
        self.widths = widths
        var end = 0
        lanes = widths.map { width in
            end += width
            return end - width / 2
        }
        width = end

        centers = [Int?](repeating: nil, count: picture.eventKinds.count)
        var since = 0
        for (place, row) in rows.enumerated() {
            if repeatsHeads, since >= Self.headInterval, rows.count - place > 8, !picture.lanes.all.isEmpty {
                heads.append(height)
                height += Self.headHeight
                since = 0
            }
            let middle = height + Self.rowHeight / 2
            switch row {
            case .event(let event): centers[event.place] = middle
            case .fold(let fold): for event in fold.events { centers[event.place] = middle }
            case .pause: break
            }
            height += Self.height(of: row)
            since += 1
        }
    }

    static func height(of row: TimelinePicture.Row) -> Int {
        switch row {
        case .event(let event): rowHeight + (event.lines.count - 1) * lineHeight
        case .fold: rowHeight
        case .pause: pauseHeight
        }
    }

    /// Returns the path of a link, in the gutter beside a lane: sideways, down beside the first, sideways again.
    func path(from source: (lane: Int, y: Int), to target: (lane: Int, y: Int)) -> String {
        let (start, end) = (lanes[source.lane], lanes[target.lane])
        let gutter = start + (end < start ? -Self.gutter : Self.gutter)
        let radius = Self.gutter / 2
        let (out, back) = (gutter > start ? radius : -radius, end > gutter ? radius : -radius)
        return "M\(start) \(source.y)H\(gutter - out)q\(out) 0 \(out) \(radius)V\(target.y - radius)"
            + "q0 \(radius) \(back) \(radius)H\(end)"
    }
}
