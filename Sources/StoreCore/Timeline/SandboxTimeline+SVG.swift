extension SandboxTimeline {
    /// The timeline as one SVG.
    ///
    /// Each account and its devices have lanes, as do the store and the app's server. A device's queue shares the lane
    /// of the device, unless both have events. The names of the lanes are above them, and again after every forty rows.
    /// If there are more than eight accounts, the first seven have lanes of their own and all others share one; the
    /// same applies to devices.
    ///
    /// Each event has a row with its sentence, and lines from the events that led to it. Each kind of event has its own
    /// shape and color, in light and dark mode. Products, accounts and devices that are added together are one row;
    /// those before the first event of another kind are only in the picture's description.
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
    private let rows: [TimelinePicture.Row]
    /// The title of what was added before the first row; nil for nothing.
    private let before: String?
    private let margin = 16
    private let timeWidth = 72
    /// The width of a column of text, in a wide font.
    private let column = 7
    private let top: Int
    private let textStart: Int
    private let width: Int

    init(_ picture: TimelinePicture) {
        self.picture = picture
        (rows, before) = picture.story
        let layout = TimelineLayout(picture, rows, repeatsHeads: true)
        self.layout = layout
        top = margin + (picture.lanes.all.isEmpty ? 0 : TimelineLayout.headHeight)
        textStart = margin + timeWidth + layout.width + 10
        let widest = rows.lazy.map { row in
            switch row {
            case .event(let event): event.columns(withPeople: Self.showsPeople(event, picture, layout))
            case .fold(let fold): MarkupText.columns(fold.title)
            case .pause: 0
            }
        }
        width = textStart + max(widest.max() ?? 0, 40) * column + margin
    }

    /// Returns whether the people of an event are named in its row: its lane does not name them.
    private static func showsPeople(
        _ event: TimelinePicture.Event,
        _ picture: TimelinePicture,
        _ layout: TimelineLayout
    ) -> Bool {
        !event.people.isEmpty && (layout.isCompact || picture.lanes.all[event.lane].isShared)
    }

    var text: String {
        let legend = legend(at: top + layout.height + 28)
        let height = legend.end + margin
        let title = before.map { "\(picture.summary). Before: \($0)" } ?? picture.summary
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" role="group" aria-labelledby="title about">
            <title id="title">Store timeline</title>
            <desc id="about">\(title)</desc>
            <style>
            \(TimelineStyle.colors)
            \(TimelineStyle.drawing)
            text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--text)}
            tspan{unicode-bidi:isolate}
            .t,.p,.c{fill:var(--soft)}.t{font-variant-numeric:tabular-nums}.n,.d,.a{font-weight:600}
            .c{font-size:12px;text-anchor:middle}.h use{color:var(--soft)}
            .r,.e{stroke:var(--rule);fill:none}.g{stroke:var(--soft);stroke-dasharray:2 4}
            </style>
            \(TimelineStyle.shapes(kinds, picture.lanes.all))
            <rect width="\(width)" height="\(height)" rx="8" fill="var(--back)"/>

            """
        text.reserveCapacity(layout.centers.count * 900 + 8_000)
        text += "<g aria-hidden=\"true\">\n"
        for lane in layout.lanes {
            text += "<path class=\"r\" d=\"M\(left + lane) \(top)V\(top + layout.height)\"/>\n"
        }
        text += "</g>\n"
        addLinks(to: &text)
        text += "<g role=\"list\">\n"
        var y = top
        var heads = layout.heads[...]
        for row in rows {
            if let head = heads.first, head == y - top {
                y += TimelineLayout.headHeight
                heads.removeFirst()
            }
            switch row {
            case .pause(let pause): add(pause, at: y, to: &text)
            case .fold(let fold): add(fold, at: y, to: &text)
            case .event(let event): add(event, at: y, to: &text)
            }
            y += TimelineLayout.height(of: row)
        }
        if rows.isEmpty {
            text += "<text role=\"listitem\" x=\"\(margin)\" y=\"\(top + 14)\">Nothing has happened yet.</text>\n"
        }
        text += "</g>\n"
        addHeads(to: &text)
        return text + "\(legend.text)</svg>\n"
    }

    /// The kinds of the events that have a mark.
    private var kinds: [SandboxTimeline.Entry.Kind] {
        let drawn = Set(rows.lazy.compactMap { if case .event(let event) = $0 { event.kind } else { nil } })
        return picture.kinds.filter(drawn.contains)
    }

    /// The left edge of the lanes.
    private var left: Int { margin + timeWidth }

    private func x(_ lane: Int) -> Int { left + layout.lanes[lane] }

    private func addHeads(to text: inout String) {
        guard !picture.lanes.all.isEmpty else { return }
        text += "<g aria-hidden=\"true\">\n"
        for head in [-TimelineLayout.headHeight] + layout.heads {
            let y = top + head
            if head >= 0 {
                text += "<rect class=\"b\" x=\"\(left)\" y=\"\(y)\" width=\"\(layout.width)\" "
                text += "height=\"\(TimelineLayout.headHeight)\"/>\n"
            }
            for group in picture.lanes.groups where !group.lanes.isEmpty {
                let start = x(group.lanes.lowerBound) - layout.widths[group.lanes.lowerBound] / 2
                let wide = group.lanes.reduce(0) { $0 + layout.widths[$1] }
                let name = MarkupText.truncated(group.name, columns: (wide - 8) / 8)
                text += "<text class=\"a\" x=\"\(start + 5)\" y=\"\(y + 14)\">\(MarkupText.escaped(name))"
                text += "<title>\(MarkupText.escaped(group.name))</title></text>"
                text += "<path class=\"e\" d=\"M\(start + 5) \(y + 20).5H\(start + wide - 5)\"/>\n"
            }
            for (place, lane) in picture.lanes.all.enumerated() {
                text += "<g class=\"h\"><title>\(MarkupText.escaped(lane.title))</title>"
                text += "<use href=\"#i-\(lane.kind.rawValue)\" x=\"\(x(place))\" y=\"\(y + 32)\"/>"
                if !layout.isCompact, !lane.label.isEmpty {
                    let label = MarkupText.truncated(lane.label, columns: (layout.widths[place] - 6) / column)
                    text += "<text class=\"c\" x=\"\(x(place))\" y=\"\(y + 54)\">\(MarkupText.escaped(label))</text>"
                }
                text += "</g>\n"
            }
        }
        text += "</g>\n"
    }

    private func addLinks(to text: inout String) {
        text += "<g aria-hidden=\"true\" transform=\"translate(\(left) \(top))\">\n"
        let links = TimelineLinks(picture, layout)
        if !links.commands.isEmpty { text += "<path class=\"l order\" id=\"commands\" d=\"\(links.commands)\"/>\n" }
        for link in links.paths { text += "<path class=\"l \(link.kind.rawValue)\" d=\"\(link.path)\"/>\n" }
        text += "</g>\n"
    }

    private func add(_ pause: TimelinePicture.Pause, at y: Int, to text: inout String) {
        let middle = y + TimelineLayout.pauseHeight / 2
        text += "<g role=\"listitem\" aria-label=\"\(pause.title)\">"
        if pause.gap != nil {
            // A gap in the lanes.
            let right = left + layout.width
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

    private func add(_ fold: TimelinePicture.Fold, at y: Int, to text: inout String) {
        let baseline = y + TimelineLayout.rowHeight / 2 + 5
        text += """
            <g role="listitem" aria-label="\(fold.title)"><text class="t" x="\(margin)" y="\(baseline)">\(fold.time)</text>\
            <text class="p" x="\(textStart)" y="\(baseline)">\(fold.title)</text></g>

            """
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
            text += "<use href=\"#k-command\" class=\"order\" x=\"\(x(command))\" y=\"\(middle)\"/>"
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
        if Self.showsPeople(event, picture, layout) {
            text += " <tspan class=\"p\">· \(MarkupText.escaped(event.people))</tspan>"
        }
        text += "</text></g>\n"
    }

    /// Returns the explanation of the shapes, below the rows.
    private func legend(at start: Int) -> (text: String, end: Int) {
        var text = "<g aria-hidden=\"true\">\n"
        var (x, y) = (margin + 8, start)
        for kind in kinds {
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
