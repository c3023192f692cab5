import Foundation

/// What a purchase costs, as a picture for readers of the README: bars with their numbers, in a panel for each question.
struct Overview {
    /// The outcomes by the names of their figures.
    ///
    /// A panel without its figures is left out.
    var outcomes: [String: Outcome] = [:]

    /// Bars of one unit on one scale, which begins at 0.
    struct Panel {
        let title: String
        let bars: [Bar]
    }

    struct Bar {
        let label: String
        let value: Double
        /// The value with its unit.
        let text: String
        var isOurs = true
    }

    /// The figures in the picture.
    static var figures: [Figure] {
        let names = ["purchase.sync", "sk2.purchase", "purchase.history", "durable.serial.full"]
        return Figure.all.filter { names.contains($0.name) }
    }

    /// The seconds from the return of `purchase()` until the purchase is listed, as others measured them in Apple's test
    /// session on macOS 26.6.
    private static let secondsUntilListed = 0.6

    var panels: [Panel] {
        var panels: [Panel] = []
        if let classic = outcomes["purchase.sync"], let modern = outcomes["sk2.purchase"] {
            panels.append(
                Panel(
                    title: "Purchases a second, in memory",
                    bars: [
                        Self.rate("A hand fake: array, observer", nanoseconds: classic.floor, isOurs: false),
                        Self.rate("StoreCore, Store Kit 1", nanoseconds: classic.value),
                        Self.rate("StoreCore, Store Kit 2", nanoseconds: modern.value),
                        Bar(
                            label: "Apple’s test session, macOS 26.6",
                            value: 1 / Self.secondsUntilListed,
                            text: "less than \(Self.short(1 / Self.secondsUntilListed)) if each waits to be listed ¹",
                            isOurs: false
                        ),
                    ]
                )
            )
        }
        if let history = outcomes["purchase.history"] {
            panels.append(
                Panel(
                    title: "A purchase in a store that has sold",
                    bars: [
                        Self.time("1,000 before", nanoseconds: history.floor),
                        Self.time("1,000,000 before", nanoseconds: history.value),
                    ]
                )
            )
        }
        if let durable = outcomes["durable.serial.full"] {
            panels.append(
                Panel(
                    title: "A purchase in a file that survives a power failure, bought and finished",
                    bars: [
                        Self.time("SQLite alone: two commits", nanoseconds: durable.floor, isOurs: false),
                        Self.time("StoreCore", nanoseconds: durable.value),
                    ]
                )
            )
        }
        return panels
    }

    /// The panels in words.
    var sentences: [String] {
        panels.map { panel in
            let bars = panel.bars.map { "\($0.label): \($0.text)".replacing(" ¹", with: "") }
            return "\(panel.title). " + bars.joined(separator: "; ") + "."
        }
    }

    func write(to file: String) throws { try Data(svg.utf8).write(to: URL(fileURLWithPath: file)) }

    private static func rate(_ label: String, nanoseconds: Double, isOurs: Bool = true) -> Bar {
        let rate = 1e9 / nanoseconds
        return Bar(label: label, value: rate, text: short(rate), isOurs: isOurs)
    }

    private static func time(_ label: String, nanoseconds: Double, isOurs: Bool = true) -> Bar {
        Bar(label: label, value: nanoseconds, text: short(nanoseconds / 1000) + " µs", isOurs: isOurs)
    }

    /// Formats a number with two significant digits and, in words, its millions.
    static func short(_ value: Double) -> String {
        guard value > 0 else { return "0" }
        let step = pow(10, floor(log10(value)) - 1)
        let rounded = (value / step).rounded() * step
        if rounded >= 1_000_000 { return String(format: "%.2g million", rounded / 1_000_000) }
        if rounded >= 1000 { return String(format: "%d,%03d", Int(rounded) / 1000, Int(rounded) % 1000) }
        return String(format: rounded < 9.95 ? "%.2g" : "%.0f", rounded)
    }
}

// MARK: - The picture

extension Overview {
    private static let width = 830.0
    private static let labels = 20.0
    private static let bars = 280.0...680.0
    private static let barHeight = 28.0
    private static let note =
        "¹ A purchase is listed 0.6 s after purchase() returns, as swift-storekit measured it."

    /// The picture as one SVG document that refers to nothing outside itself.
    var svg: String {
        var y = 8.0
        var parts: [String] = []
        for panel in panels {
            parts.append(SVG.text(panel.title, x: Self.labels, y: y + 24, class: "heading"))
            y += 36
            let most = panel.bars.map(\.value).max() ?? 1
            for bar in panel.bars {
                parts.append(Self.draw(bar, of: most, y: y))
                y += Self.barHeight
            }
            y += 12
        }
        let hasNote = outcomes["purchase.sync"] != nil && outcomes["sk2.purchase"] != nil
        if hasNote {
            parts.append(SVG.text(Self.note, x: Self.labels, y: y + 14, class: "small"))
            y += 28
        }
        return SVG.element(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(Int(Self.width)) \(Int(y))",
                "width": "\(Int(Self.width))", "height": "\(Int(y))", "role": "img",
                "aria-labelledby": "title description",
            ],
            SVG.element("title", ["id": "title"], "What a purchase costs"),
            SVG.element("desc", ["id": "description"], SVG.escaped(sentences.joined(separator: " "))),
            SVG.element("style", [:], ChartStyle.css + "\n" + Self.css),
            SVG.element("rect", ["class": "ground", "width": "100%", "height": "100%"]),
            parts.joined()
        ) + "\n"
    }

    private static func draw(_ bar: Bar, of most: Double, y: Double) -> String {
        // What is next to nothing is seen as a line.
        let length = max(1, (bars.upperBound - bars.lowerBound) * bar.value / most)
        return SVG.text(bar.label, x: bars.lowerBound - 12, y: y + 18, class: "label", anchor: "end")
            + SVG.element(
                "rect",
                [
                    "class": bar.isOurs ? "ours" : "theirs", "x": SVG.place(bars.lowerBound), "y": SVG.place(y + 4),
                    "width": SVG.place(length), "height": "20",
                ]
            )
            + SVG.text(bar.text, x: bars.lowerBound + length + 8, y: y + 18, class: "number")
    }

    private static let css = """
        :root { --ours: #0a58b0; --theirs: #8c959f }
        @media (prefers-color-scheme: dark) { :root { --ours: #58a6ff; --theirs: #6e7681 } }
        .heading { font-size: 15px }
        .small { font-size: 12px }
        .number { font-weight: 600 }
        .ours { fill: var(--ours) }
        .theirs { fill: var(--theirs) }
        """
}
