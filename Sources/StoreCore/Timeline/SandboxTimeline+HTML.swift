import Foundation

extension SandboxTimeline {
    /// The timeline as one HTML page, for reading, searching and printing.
    ///
    /// Each event has a row, and a mark in the lane of its account, device, queue, store or server. Lines lead to the
    /// mark from the events that caused it. The names of the lanes stay visible while the page is scrolled, and are on
    /// each sheet that is printed if the lanes fit on it. Products, accounts and devices that are added together are
    /// one row, which opens.
    ///
    /// The page is complete without a network and without a script. Its own script filters the events by words,
    /// product, account and state (the kind of an event), and hides the lanes without an event that is left; `#7` finds
    /// the transaction with that number. The page's policy allows nothing else to be loaded or run, whatever names the
    /// events contain.
    ///
    /// The page has the content of ``svg``, in lanes if the window or the sheet is wide enough, and otherwise as a
    /// list. Equal entries produce the same text, in time proportional to their number. The markup is not stable.
    public var html: String { html(title: "Store timeline", about: nil) }

    /// Returns the page with a given title, and text that describes its origin.
    package func html(title: String, about: String?) -> String {
        TimelinePage(TimelinePicture(self), title: title, about: about).text
    }
}

/// A writer of a picture as HTML that is also valid XML.
private struct TimelinePage {
    let picture: TimelinePicture
    let layout: TimelineLayout
    let title: String
    let about: String?

    /// The number of rows that a browser lays out together.
    private static let blockLength = 100

    init(_ picture: TimelinePicture, title: String, about: String?) {
        (self.picture, self.title, self.about) = (picture, title, about)
        layout = TimelineLayout(picture, picture.rows)
    }

    var text: String {
        let blocks = stride(from: 0, to: picture.rows.count, by: Self.blockLength).map { start in
            start..<min(start + Self.blockLength, picture.rows.count)
        }
        let style = TimelinePageStyle(
            picture,
            layout,
            blocks: blocks.map { block in picture.rows[block].reduce(0) { $0 + TimelineLayout.height(of: $1) } }
        ).text
        let script = "\n\(TimelineScript.text)\n"
        // The markers hide the script from XML parsers, and are comments to a browser.
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
        text += "<svg class=\"shapes\" aria-hidden=\"true\">"
        text += "\(TimelineStyle.shapes(picture.kinds, picture.lanes.all))</svg>\n"
        addLegend(to: &text)
        text += "</header>\n<main>\n<div class=\"bar\">\n"
        addForm(to: &text)
        addHeads(to: &text)
        text += "</div>\n<div id=\"rows\" data-row=\"\(TimelineLayout.rowHeight)\" "
        text += "data-gutter=\"\(TimelineLayout.gutter)\">\n"
        addLines(to: &text)
        for (number, block) in blocks.enumerated() {
            text += "<ol id=\"b\(number)\">\n"
            for row in picture.rows[block] {
                switch row {
                case .pause(let pause): add(pause, to: &text)
                case .fold(let fold): add(fold, to: &text)
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

    /// The filters, which only the script shows: they have no effect without it.
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

    /// The names of the lanes, for sighted readers: each row also names its account and its device as text.
    private func addHeads(to text: inout String) {
        guard !picture.lanes.all.isEmpty else { return }
        text += "<div class=\"heads\" aria-hidden=\"true\">"
        for (place, group) in picture.lanes.groups.enumerated() where !group.lanes.isEmpty {
            let name = MarkupText.escaped(group.name)
            text += "<b id=\"g\(place)\" data-from=\"\(group.lanes.lowerBound)\" data-to=\"\(group.lanes.upperBound)\" "
            text += "title=\"\(name)\">\(name)</b>"
        }
        for (place, lane) in picture.lanes.all.enumerated() {
            text +=
                "<span id=\"h\(place)\" data-w=\"\(layout.widths[place])\" title=\"\(MarkupText.escaped(lane.title))\">"
            text +=
                "<svg viewBox=\"-9 -9 18 18\"><use href=\"#i-\(lane.kind.rawValue)\"/></svg>"
            text += "\(layout.isCompact ? "" : MarkupText.escaped(lane.label))</span>"
        }
        text += "</div>\n"
    }

    private func addLines(to text: inout String) {
        let links = TimelineLinks(picture, layout)
        text += "<svg id=\"lines\" width=\"\(layout.width)\" height=\"\(layout.height)\" aria-hidden=\"true\">\n"
        text += "<path id=\"commands\" class=\"l order\" d=\"\(links.commands)\"/>\n"
        for link in links.paths {
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

    private func add(_ fold: TimelinePicture.Fold, to text: inout String) {
        let kind = SandboxTimeline.Entry.Kind.setting.rawValue
        text += "<li class=\"fold \(kind)\" data-h=\"\(TimelineLayout.rowHeight)\"><details><summary>"
        text += "<time>\(fold.time)</time><svg aria-hidden=\"true\"><use href=\"#k-\(kind)\"/></svg>"
        text += "<span>\(fold.title)</span></summary>\n<ol>\n"
        for event in fold.events { add(event, isFolded: true, to: &text) }
        text += "</ol></details></li>\n"
    }

    private func add(_ event: TimelinePicture.Event, isFolded: Bool = false, to text: inout String) {
        let kind = event.kind.rawValue
        text += "<li id=\"e\(event.place)\" class=\"\(kind)\" data-k=\"\(kind)\" data-h=\""
        text += "\(TimelineLayout.rowHeight + (event.lines.count - 1) * TimelineLayout.lineHeight)\""
        if !isFolded { text += " data-l=\"\(event.lane)\"" }
        if let command = event.command { text += " data-c=\"\(command)\"" }
        if let account = event.accountPlace { text += " data-a=\"\(account)\"" }
        if let product = event.productPlace { text += " data-p=\"\(product)\"" }
        if !event.sources.isEmpty { text += " data-s=\"\(event.sources.map(String.init).joined(separator: " "))\"" }
        text += "><time>\(event.time)</time><svg role=\"img\" aria-label=\"\(event.kind.title)\">"
        if let command = event.command { text += "<use href=\"#k-command\" class=\"order m\(command)\"/>" }
        text += "<use href=\"#k-\(kind)\"\(isFolded ? "" : " class=\"m\(event.lane)\"")/></svg><p>"
        if let product = event.product { text += "<b>\(MarkupText.escaped(product))</b> " }
        if let transaction = event.transaction { text += "<i>\(transaction)</i> " }
        text += event.lines.map(MarkupText.escaped).joined(separator: "<br/>")
        if !event.people.isEmpty { text += " <i>· <bdi>\(MarkupText.escaped(event.people))</bdi></i>" }
        for source in event.sources { text += " <a href=\"#e\(source)\">↑ \(picture.eventKinds[source].title)</a>" }
        text += "</p></li>\n"
    }
}
