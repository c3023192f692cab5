import Foundation

extension SandboxTimeline {
    /// The timeline as one HTML page, to look at and to search: a row for each event, with its mark in the lane of its
    /// account, device, queue, store or server, and lines to those that led to it.
    ///
    /// The page is complete without a network and without a script. A script of its own filters the events by words,
    /// product, account and state, the kind of an event; `#7` finds the transaction of that number. The page's policy
    /// allows nothing else to be loaded or run, whatever the names in it are.
    ///
    /// It holds what ``svg`` does, in lanes if the window is wide enough. The same entries make the same text, in time
    /// proportional to their number. The markup is not stable.
    public var html: String { html(title: "Store timeline", about: nil) }

    /// Returns the page with a title of its own, and text that says what it belongs to.
    package func html(title: String, about: String?) -> String {
        TimelinePage(TimelinePicture(self), title: title, about: about).text
    }
}

/// Writes a picture as HTML that is XML as well.
private struct TimelinePage {
    let picture: TimelinePicture
    let layout: TimelineLayout
    let title: String
    let about: String?

    /// The number of rows that a browser lays out together.
    private static let blockLength = 100

    init(_ picture: TimelinePicture, title: String, about: String?) {
        (self.picture, self.title, self.about) = (picture, title, about)
        layout = TimelineLayout(picture)
    }

    var text: String {
        let blocks = stride(from: 0, to: picture.rows.count, by: Self.blockLength).map { start in
            start..<min(start + Self.blockLength, picture.rows.count)
        }
        let style = TimelinePageStyle(
            layout,
            columns: picture.widestText,
            blocks: blocks.map { block in
                picture.rows[block].reduce(0) { $0 + TimelineLayout.height(of: $1) }
            }
        ).text
        let script = "\n\(TimelineScript.text)\n"
        // The markers keep the text from XML's readers, and are comments to a browser.
        let program = "//<![CDATA[\(script)//]]>"
        let policy = """
            default-src 'none'; base-uri 'none'; form-action 'none'; \
            style-src '\(Self.hash(of: style))'; script-src '\(Self.hash(of: program))'
            """
        var text = """
            <!DOCTYPE html>
            <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
            <head>
            <meta charset="utf-8"/>
            <meta http-equiv="Content-Security-Policy" content="\(policy)"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <title>\(MarkupText.escaped(title))</title>
            <style>\(style)</style>
            </head>
            <body>
            <header>
            <h1>\(MarkupText.escaped(title))</h1>
            <p>\(picture.summary)</p>

            """
        text.reserveCapacity(layout.centers.count * 700 + 16_000)
        if let about { text += "<pre>\(Self.escapedLines(about))</pre>\n" }
        // The shapes that the rows use.
        text += "<svg class=\"shapes\" aria-hidden=\"true\">\(TimelineStyle.shapes(picture.kinds))</svg>\n"
        addLegend(to: &text)
        text += "</header>\n"
        addForm(to: &text)
        text += "<main>\n"
        addHeads(to: &text)
        text += "<div id=\"rows\" data-pitch=\"\(layout.pitch)\" data-row=\"\(TimelineLayout.rowHeight)\">\n"
        addLines(to: &text)
        for (number, block) in blocks.enumerated() {
            text += "<ol id=\"b\(number)\">\n"
            for row in picture.rows[block] {
                switch row {
                case .pause(let pause): add(pause, to: &text)
                case .event(let event): add(event, to: &text)
                }
            }
            text += "</ol>\n"
        }
        if picture.rows.isEmpty { text += "<p>Nothing has happened yet.</p>\n" }
        text += "</div>\n</main>\n<script>\(program)</script>\n</body>\n</html>\n"
        return text
    }

    private static func hash(of text: String) -> String {
        "sha256-\(Data(SHA256.digest(of: Data(text.utf8))).base64EncodedString())"
    }

    private static func escapedLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(MarkupText.escaped).joined(separator: "\n")
    }

    private func addLegend(to text: inout String) {
        guard !picture.kinds.isEmpty else { return }
        text += "<ul class=\"legend\" aria-label=\"Shapes\">\n"
        for kind in picture.kinds {
            text += """
                <li class="\(kind.rawValue)"><svg width="18" height="18" aria-hidden="true"><use href="#k-\(kind.rawValue)" \
                transform="translate(9 9)"/></svg>\(kind.title)</li>

                """
        }
        text += "</ul>\n"
    }

    /// The filters, which only the script shows: without it they would do nothing.
    private func addForm(to text: inout String) {
        text += """
            <form hidden="hidden" role="search" aria-label="Events">
            <label>Search <input type="search" name="words" placeholder="sword, #7, refunded"/></label>

            """
        add("Product", "product", picture.products.enumerated().map { (String($0.offset), $0.element) }, to: &text)
        add("Account", "account", picture.accounts.enumerated().map { (String($0.offset), $0.element) }, to: &text)
        add("State", "state", picture.kinds.map { ($0.rawValue, $0.title) }, to: &text)
        text += "<button type=\"reset\">Show all</button>\n<output name=\"count\">\(picture.count)</output>\n</form>\n"
    }

    private func add(_ label: String, _ name: String, _ options: [(String, String)], to text: inout String) {
        text += "<label>\(label) <select name=\"\(name)\"><option value=\"\">all</option>"
        for (value, name) in options { text += "<option value=\"\(value)\">\(MarkupText.escaped(name))</option>" }
        text += "</select></label>\n"
    }

    /// The names of the lanes, for whoever sees them: each row names its account and its device in words.
    private func addHeads(to text: inout String) {
        guard !picture.lanes.isEmpty else { return }
        text += "<svg class=\"heads\" width=\"\(layout.width + 140)\" height=\"120\" aria-hidden=\"true\">"
        for (place, lane) in picture.lanes.enumerated() {
            text +=
                "<text transform=\"translate(\(layout.x(place) + 4) 114)rotate(-45)\">\(MarkupText.escaped(lane.label))</text>"
        }
        text += "</svg>\n"
    }

    private func addLines(to text: inout String) {
        text += "<svg id=\"lines\" width=\"\(layout.width)\" height=\"\(layout.height)\" aria-hidden=\"true\">\n"
        for link in TimelineLinks(picture, layout).paths {
            let kind = link.kind.rawValue
            text += "<path class=\"l \(kind)\" data-k=\"\(kind)\" d=\"\(link.path)\"/>\n"
        }
        text += "</svg>\n"
    }

    private func add(_ pause: TimelinePicture.Pause, to text: inout String) {
        let attributes = "class=\"pause\(pause.gap == nil ? "" : " gap")\"\(pause.day == nil ? "" : " data-d=\"\"")"
        text += "<li \(attributes) data-h=\"\(TimelineLayout.pauseHeight)\">"
        if let day = pause.day { text += "<b>\(day)</b> " }
        if let gap = pause.gap { text += "<i>\(gap) later</i>" }
        text += "</li>\n"
    }

    private func add(_ event: TimelinePicture.Event, to text: inout String) {
        let kind = event.kind.rawValue
        text += "<li id=\"e\(event.place)\" class=\"\(kind)\" data-k=\"\(kind)\" data-l=\"\(event.lane)\" data-h=\""
        text += "\(TimelineLayout.rowHeight + (event.lines.count - 1) * TimelineLayout.lineHeight)\""
        if let account = event.accountPlace { text += " data-a=\"\(account)\"" }
        if let product = event.productPlace { text += " data-p=\"\(product)\"" }
        if !event.sources.isEmpty { text += " data-s=\"\(event.sources.map(String.init).joined(separator: " "))\"" }
        text += "><time>\(event.time)</time>"
        addMark(event, to: &text)
        text += "<p>"
        if let product = event.product { text += "<b>\(MarkupText.escaped(product))</b> " }
        if let transaction = event.transaction { text += "<i>\(transaction)</i> " }
        text += event.lines.map(MarkupText.escaped).joined(separator: "<br/>")
        if !event.people.isEmpty { text += " <i>· <bdi>\(MarkupText.escaped(event.people))</bdi></i>" }
        for source in event.sources { text += " <a href=\"#e\(source)\">↑ \(picture.eventKinds[source].title)</a>" }
        text += "</p></li>\n"
    }

    private func addMark(_ event: TimelinePicture.Event, to text: inout String) {
        let (x, y) = (layout.x(event.lane), TimelineLayout.rowHeight / 2)
        text += "<svg role=\"img\" aria-label=\"\(event.kind.title)\">"
        if let command = event.command.map({ layout.x($0) }) {
            text += "<path class=\"l\" d=\"M\(command) \(y)H\(x)\"/>"
            text += "<use href=\"#k-command\" transform=\"translate(\(command) \(y))\"/>"
        }
        text += "<use href=\"#k-\(event.kind.rawValue)\" transform=\"translate(\(x) \(y))\"/></svg>"
    }
}
