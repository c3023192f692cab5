extension SandboxTimeline {
    /// The timeline as one SVG.
    ///
    /// Each account, device and queue has a lane, as do the store and the app's server. Each event has a row with its
    /// sentence, and lines from the events that led to it. Each kind of event has its own shape and color, in light and
    /// dark mode. If there are more than eight accounts, the first seven have lanes of their own and all others share
    /// one; the same applies to devices.
    ///
    /// The image needs neither a network nor a script. For screen readers, it is a list. Times are the store's, in UTC,
    /// and a minute or more without events is one row.
    ///
    /// Equal entries produce the same text, in time proportional to their number. The markup is not stable.
    public var svg: String { TimelineSVG(TimelinePicture(self)).text }
}

/// A writer of a picture as SVG.
private struct TimelineSVG {
    private let picture: TimelinePicture
    private let layout: TimelineLayout
    private let margin = 16
    private let timeWidth = 86
    /// The width of a column of text, in a wide font.
    private let column = 7
    private let top: Int
    private let textStart: Int
    private let width: Int

    init(_ picture: TimelinePicture) {
        self.picture = picture
        let layout = TimelineLayout(picture)
        self.layout = layout
        let titles = picture.lanes.map { MarkupText.columns($0.label) }
        // The titles are rotated by 45 degrees.
        top = margin + max(40, (titles.max() ?? 0) * column * 7 / 10 + 16)
        textStart = margin + timeWidth + layout.width + 10
        let widest = picture.widestText
        let headed = picture.lanes.indices.map { (lane: Int) in layout.x(lane) + titles[lane] * 5 }
        width = max(textStart + max(widest, 40) * column, margin + timeWidth + (headed.max() ?? 0)) + margin
    }

    var text: String {
        let legend = legend(at: top + layout.height + 28)
        let height = legend.end + margin
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" role="group" aria-labelledby="title about">
            <title id="title">Store timeline</title>
            <desc id="about">\(picture.summary)</desc>
            <style>
            \(TimelineStyle.colors)
            \(TimelineStyle.drawing)
            text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--text)}
            tspan{unicode-bidi:isolate}
            .t,.p,.h{fill:var(--soft)}.t{font-variant-numeric:tabular-nums}.n,.d{font-weight:600}
            .r{stroke:var(--rule)}.g{stroke:var(--soft);stroke-dasharray:2 4}
            </style>
            \(TimelineStyle.shapes(picture.kinds))
            <rect width="\(width)" height="\(height)" rx="8" fill="var(--back)"/>

            """
        text.reserveCapacity(layout.centers.count * 900 + 8_000)
        addHeads(to: &text)
        addLinks(to: &text)
        text += "<g role=\"list\">\n"
        var y = top
        for row in picture.rows {
            switch row {
            case .pause(let pause): add(pause, at: y, to: &text)
            case .event(let event): add(event, at: y, to: &text)
            }
            y += TimelineLayout.height(of: row)
        }
        if picture.rows.isEmpty {
            text += "<text role=\"listitem\" x=\"\(margin)\" y=\"\(top)\">Nothing has happened yet.</text>\n"
        }
        return text + "</g>\n\(legend.text)</svg>\n"
    }

    private func x(_ lane: Int) -> Int { margin + timeWidth + layout.x(lane) }

    private func addHeads(to text: inout String) {
        text += "<g aria-hidden=\"true\">\n"
        for (place, lane) in picture.lanes.enumerated() {
            let x = x(place)
            text += """
                <text class="h" transform="translate(\(x + 4) \(top - 8))rotate(-45)">\(MarkupText.escaped(lane.label))</text>\
                <path class="r" d="M\(x) \(top - 4)V\(top + layout.height)"/>

                """
        }
        text += "</g>\n"
    }

    private func addLinks(to text: inout String) {
        text += "<g aria-hidden=\"true\" transform=\"translate(\(margin + timeWidth) \(top))\">\n"
        for link in TimelineLinks(picture, layout).paths {
            text += "<path class=\"l \(link.kind.rawValue)\" d=\"\(link.path)\"/>\n"
        }
        text += "</g>\n"
    }

    private func add(_ pause: TimelinePicture.Pause, at y: Int, to text: inout String) {
        let middle = y + TimelineLayout.pauseHeight / 2
        text += "<g role=\"listitem\" aria-label=\"\(pause.title)\">"
        if pause.gap != nil {
            // A gap in the lanes.
            let (left, right) = (margin + timeWidth, margin + timeWidth + layout.width)
            text += "<path d=\"M\(left) \(middle)H\(right)\" stroke=\"var(--back)\" stroke-width=\"12\"/>"
            text += "<path class=\"g\" d=\"M\(left) \(middle)H\(width - margin)\"/>"
        }
        if let day = pause.day { text += "<text class=\"d\" x=\"\(margin)\" y=\"\(middle + 5)\">\(day)</text>" }
        if let gap = pause.gap {
            // On a patch of the background, since the line passes underneath.
            let wide = MarkupText.columns(gap) * column + 50
            text += """
                <rect class="b" x="\(textStart - 4)" y="\(middle - 9)" width="\(wide)" height="18"/>\
                <text class="p" x="\(textStart)" y="\(middle + 5)">\(gap) later</text>
                """
        }
        text += "</g>\n"
    }

    private func add(_ event: TimelinePicture.Event, at y: Int, to text: inout String) {
        let middle = y + TimelineLayout.rowHeight / 2
        let baseline = middle + 5
        text +=
            "<g role=\"listitem\" aria-label=\"\(MarkupText.escaped(event.spoken))\" class=\"\(event.kind.rawValue)\">"
        if event.isNew {
            text += "<text aria-hidden=\"true\" class=\"t\" x=\"\(margin)\" y=\"\(baseline)\">\(event.time)</text>"
        }
        if let command = event.command {
            text += "<path class=\"l\" d=\"M\(x(command)) \(middle)H\(x(event.lane))\"/>"
            text += "<use href=\"#k-command\" x=\"\(x(command))\" y=\"\(middle)\"/>"
        }
        text += "<use href=\"#k-\(event.kind.rawValue)\" x=\"\(x(event.lane))\" y=\"\(middle)\"/>"
        text += "<text aria-hidden=\"true\" x=\"\(textStart)\" y=\"\(baseline)\">"
        if let product = event.product { text += "<tspan class=\"n\">\(MarkupText.escaped(product))</tspan> " }
        if let transaction = event.transaction { text += "<tspan class=\"p\">\(transaction)</tspan> " }
        for (number, line) in event.lines.enumerated() {
            if number > 0 { text += "<tspan x=\"\(textStart)\" dy=\"\(TimelineLayout.lineHeight)\">" }
            text += MarkupText.escaped(line)
            if number > 0 { text += "</tspan>" }
        }
        if !event.people.isEmpty { text += " <tspan class=\"p\">· \(MarkupText.escaped(event.people))</tspan>" }
        text += "</text></g>\n"
    }

    /// Returns the explanation of the shapes, below the rows.
    private func legend(at start: Int) -> (text: String, end: Int) {
        var text = "<g aria-hidden=\"true\">\n"
        var (x, y) = (margin + 8, start)
        for kind in picture.kinds {
            let wide = 24 + MarkupText.columns(kind.title) * column + 8
            if x + wide > width - margin, x > margin + 8 { (x, y) = (margin + 8, y + 22) }
            text += """
                <use class="\(kind.rawValue)" href="#k-\(kind.rawValue)" x="\(x)" y="\(y)"/>\
                <text class="p" x="\(x + 14)" y="\(y + 5)">\(kind.title)</text>

                """
            x += wide
        }
        return (text + "</g>\n", y + 8)
    }
}
