import Foundation

/// Figures as a picture: a bar for each on a logarithmic scale, from its floor to its value, with marks for floor, limit
/// and dream, and a line for its growth.
struct Chart {
    var rows: [ChartRow] = []

    private static let margin = 24.0
    private static let top = 132.0
    private static let rowHeight = 68.0
    private static let bars = 24.0...640.0
    private static let lines = 700.0...900.0

    /// Whether any figure's growth was measured; without it the picture ends behind the bars.
    private var hasGrowth: Bool { rows.contains { !$0.growth.isEmpty } }
    private var width: Double { hasGrowth ? 960 : Self.bars.upperBound + Self.margin }

    func write(to file: String) throws { try Data(svg.utf8).write(to: URL(fileURLWithPath: file)) }

    /// The picture as one SVG document that refers to nothing outside itself.
    var svg: String {
        let height = Self.top + Self.rowHeight * Double(rows.count) + 40
        let over = rows.count(where: \.isOver)
        let title = "store-bench: figures beside their floors"
        let description =
            "\(rows.count) figures, \(over) of them over their limit. A bar leads from 1, the floor, to the ratio of the "
            + "figure to its floor, on a logarithmic scale; shorter is quicker."
        return SVG.element(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(Int(width)) \(Int(height))",
                "width": "\(Int(width))", "height": "\(Int(height))", "role": "group",
                "aria-labelledby": "title description",
            ],
            SVG.element("title", ["id": "title"], SVG.escaped(title)),
            SVG.element("desc", ["id": "description"], SVG.escaped(description)),
            SVG.element("style", [:], ChartStyle.css),
            SVG.element("rect", ["class": "ground", "width": "100%", "height": "100%"]),
            SVG.text(title, x: Self.margin, y: 40, class: "heading"),
            legend,
            axis(height: height),
            SVG.element("g", ["role": "list"], rows.enumerated().map { row($1, number: $0) }.joined())
        ) + "\n"
    }

    /// The scale of the ratios, which all rows share.
    private var scale: LogScale {
        let bounds = rows.flatMap(\.ratios)
        let low = min(0.5, (bounds.min() ?? 1) / 1.1)
        let high = max(3, (bounds.max() ?? 1) * 1.1)
        return LogScale(domain: max(low, 0.001)...high, range: Self.bars)
    }

    private var legend: String {
        let y = 68.0
        return SVG.element(
            "g",
            ["aria-hidden": "true"],
            ChartMark.floor.drawn(x: 32, y: y - 4),
            SVG.text("floor (1)", x: 44, y: y, class: "small"),
            ChartMark.limit.drawn(x: 124, y: y - 4),
            SVG.text("limit", x: 136, y: y, class: "small"),
            ChartMark.dream.drawn(x: 194, y: y - 4),
            SVG.text("dream", x: 206, y: y, class: "small"),
            SVG.element("path", ["class": "spread", "d": "M262,\(SVG.place(y - 4))h28m-28,-3v6m28,-6v6"]),
            SVG.text("fastest and slowest round", x: 298, y: y, class: "small"),
            SVG.text("times the floor", x: Self.bars.lowerBound, y: 96, class: "small"),
            hasGrowth ? SVG.text("growth with size", x: Self.lines.lowerBound, y: 96, class: "small") : ""
        )
    }

    private func axis(height: Double) -> String {
        let scale = scale
        let marks = scale.ticks.map { tick in
            let x = SVG.place(scale(tick))
            return SVG.element(
                "path",
                ["class": tick == 1 ? "base" : "grid", "d": "M\(x),\(Int(Self.top) - 8)V\(Int(height) - 24)"]
            )
                + SVG.text(Report.bound(tick), x: scale(tick), y: Self.top - 14, class: "small", anchor: "middle")
        }
        return SVG.element("g", ["aria-hidden": "true"], marks.joined())
    }

    private func row(_ row: ChartRow, number: Int) -> String {
        let scale = scale
        let y = Self.top + Self.rowHeight * Double(number)
        let bar = y + 46
        let (from, to) = (scale(min(1, row.outcome.ratio)), scale(max(1, row.outcome.ratio)))
        let (fastest, slowest) = (SVG.place(scale(row.outcome.lowestRatio)), SVG.place(scale(row.outcome.highestRatio)))
        let place = SVG.place(bar)
        var parts = [
            SVG.element("title", [:], SVG.escaped(row.sentence)),
            SVG.text(row.figure.name, x: Self.margin, y: y + 14, class: "name"),
            SVG.text(
                row.result,
                x: Self.bars.upperBound,
                y: y + 14,
                class: row.isOver ? "over" : "value",
                anchor: "end"
            ),
            SVG.text(row.figure.summary, x: Self.margin, y: y + 30, class: "small"),
            SVG.element(
                "rect",
                [
                    "class": row.isOver ? "bar slow" : "bar", "x": SVG.place(from), "y": SVG.place(bar - 6),
                    "width": SVG.place(max(2, to - from)), "height": "12", "rx": "2",
                ]
            ),
            SVG.element(
                "path",
                [
                    "class": "spread",
                    "d": "M\(fastest),\(place)H\(slowest)M\(fastest),\(place)m0,-3v6M\(slowest),\(place)m0,-3v6",
                ]
            ),
            ChartMark.floor.drawn(x: scale(1), y: bar),
            ChartMark.limit.drawn(x: scale(row.figure.limit), y: bar),
        ]
        if let dream = row.figure.dream { parts.append(ChartMark.dream.drawn(x: scale(dream), y: bar)) }
        if let caption = row.growthCaption {
            parts.append(SVG.text(caption, x: Self.lines.lowerBound, y: y + 14, class: "small"))
            parts.append(line(row.growth, in: (y + 26)...(y + 48)))
        }
        return SVG.element("g", ["role": "listitem", "aria-label": row.sentence], parts.joined())
    }

    /// Draws growth, both sides logarithmic; a value that does not grow is a level line.
    private func line(_ points: [Growth.Point], in height: ClosedRange<Double>) -> String {
        guard let first = points.first, let last = points.last, let middle = points.map(\.value).min() else {
            return ""
        }
        let across = LogScale(domain: Double(first.size)...Double(last.size), range: Self.lines)
        // A factor of ten at least, so that noise looks like noise.
        let highest = max(points.map(\.value).max() ?? middle, middle * 10)
        let upward = LogScale(domain: middle...highest, range: 0...(height.upperBound - height.lowerBound))
        let places = points.map { (x: across(Double($0.size)), y: height.upperBound - upward($0.value)) }
        let path = places.map { "\(SVG.place($0.x)),\(SVG.place($0.y))" }.joined(separator: " ")
        let dots = places.map {
            SVG.element("circle", ["class": "dot", "cx": SVG.place($0.x), "cy": SVG.place($0.y), "r": "2.5"])
        }
        func label(_ point: Growth.Point) -> String { "\(Self.short(point.size)): \(Report.number(point.value))" }
        return SVG.element("polyline", ["class": "line", "points": path]) + dots.joined()
            + SVG.text(label(first), x: Self.lines.lowerBound, y: height.upperBound + 14, class: "small")
            + SVG.text(label(last), x: Self.lines.upperBound, y: height.upperBound + 14, class: "small", anchor: "end")
    }

    /// Formats a power of ten as such.
    private static func short(_ size: Int) -> String {
        let power = String(size).count - 1
        let digits = Array("⁰¹²³⁴⁵⁶⁷⁸⁹")
        return String(size) == "1" + String(repeating: "0", count: power) && power < 10
            ? "10\(digits[power])" : String(size)
    }
}
