import Foundation

extension SandboxTimeline {
    /// The timeline as one HTML page, for reading and searching.
    ///
    /// Each event has a row, and a mark in the lane of its account, device, queue, store or server. Lines lead to the
    /// mark from the events that caused it.
    ///
    /// The page is complete without a network and without a script. Its own script filters the events by words,
    /// product, account and state (the kind of an event); `#7` finds the transaction with that number. The page's
    /// policy allows nothing else to be loaded or run, whatever names the events contain.
    ///
    /// The page has the content of ``svg``, in lanes if the window is wide enough. Equal entries produce the same text,
    /// in time proportional to their number. The markup is not stable.
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

/// The style sheet of a page.
struct TimelinePageStyle {
    let text: String

    /// Creates the style sheet from a layout, the width of the text in columns, and the heights of the blocks of rows.
    init(_ layout: TimelineLayout, columns: Int, blocks: [Int]) {
        // The width of the time, the lanes, and generously wide letters, with space for links.
        let wide = min(110 + layout.width + (columns + 14) * 15 / 2, 1360)
        let row = TimelineLayout.rowHeight
        text = """

            \(TimelineStyle.colors)
            \(TimelineStyle.drawing)
            *{box-sizing:border-box}
            body{margin:0 auto;padding:1rem;max-width:90rem;background:var(--back);color:var(--text);\
            font:14px/1.4 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
            h1{font-size:1.4rem;margin:0}header p{margin:.2rem 0 .8rem;color:var(--soft)}
            pre{white-space:pre-wrap;background:var(--band);padding:.8rem;border-radius:6px;font-size:13px}
            ol,ul{list-style:none;margin:0;padding:0}
            .shapes{position:absolute;width:0;height:0}
            .legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin-bottom:.8rem}
            .legend li{display:flex;align-items:center;gap:.3rem}
            form{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;\
            padding:.6rem 0;background:var(--back);border-bottom:1px solid var(--rule)}
            [hidden]{display:none!important}
            form select,form input{max-width:12rem}
            input,select,button{font:inherit;color:inherit;background:var(--band);border:1px solid var(--rule);\
            border-radius:6px;padding:.25rem .5rem;min-height:2rem}
            label,output{color:var(--soft)}
            :focus-visible{outline:2px solid var(--link);outline-offset:1px}
            a{color:var(--link);text-decoration:none;margin-left:.4rem;white-space:nowrap}a:hover{text-decoration:underline}
            i{font-style:normal;color:var(--soft)}time{color:var(--soft);font-variant-numeric:tabular-nums}
            bdi,b{unicode-bidi:isolate}
            #rows{position:relative}
            #rows ol{content-visibility:auto;contain-intrinsic-height:auto var(--size,2600px)}
            li p{margin:0;color:var(--text)}
            #rows li{display:grid;grid-template-columns:4.2rem 1.8rem 1fr;padding:.25rem 0;scroll-margin-top:8rem}
            #rows li svg{width:24px;height:\(row)px;overflow:visible}
            #rows li:target{background:var(--band);box-shadow:inset 3px 0 var(--link)}
            #rows .pause{display:block;margin-top:.6rem;border-top:1px dotted var(--rule);padding-top:.3rem}
            #lines,.heads,.some .pause i{display:none}
            @media not all and (min-width:\(wide)px){
            #rows li use{transform:translate(10px,11px)}#rows li path.l,#rows li use[href="#k-command"]{display:none}
            #rows li br{display:none}
            }
            @media (min-width:\(wide)px){
            form{position:sticky;top:0;z-index:2}
            .heads{display:block;overflow:visible;margin-left:80px;fill:var(--soft);font-size:13px}
            #lines{display:block;position:absolute;top:0;left:80px;pointer-events:none;background:\
            linear-gradient(90deg,transparent \(layout.pitch / 2)px,var(--rule) 0 \(layout.pitch / 2 + 1)px,transparent 0)\
             0 0/\(layout.pitch)px 1px}
            #rows ol{position:relative;contain-intrinsic-height:var(--size)}
            #rows li{grid-template-columns:80px \(layout.width + 10)px 1fr;padding:0;line-height:\(row)px;white-space:nowrap}
            #rows li svg{width:\(layout.width)px}
            #rows li p{line-height:\(TimelineLayout.lineHeight)px;padding:\((row - TimelineLayout.lineHeight) / 2)px 0}
            #rows .pause{height:\(TimelineLayout.pauseHeight)px;margin:0;border:0;line-height:\(TimelineLayout.pauseHeight)px;padding:0}
            #rows:not(.some) .pause.gap{background:var(--band);border-radius:4px}
            #rows .pause i{position:absolute;left:\(90 + layout.width)px}
            }
            \(blocks.enumerated().map { "#b\($0.offset){--size:\($0.element)px}" }.joined())

            """
    }
}

/// The shapes and colors of a timeline's marks; each kind has its own shape, so the picture is readable without colors.
enum TimelineStyle {
    /// The colors in light and dark mode.
    static let colors = """
        :root{color-scheme:light dark;\(properties { $0.light })}
        @media (prefers-color-scheme:dark){:root{\(properties { $0.dark })}}
        \(kinds.map { ".\($0.kind.rawValue){color:var(--\($0.kind.rawValue))}" }.joined(separator: "\n"))
        """

    private static func properties(_ color: (Color) -> String) -> String {
        (paper + kinds.map(\.color)).map { "--\($0.name):\(color($0))" }.joined(separator: ";")
    }

    private struct Color {
        let name: String
        let light: String
        let dark: String
    }

    private static let paper = [
        Color(name: "back", light: "#ffffff", dark: "#0d1117"), Color(name: "band", light: "#f4f6f8", dark: "#161b22"),
        Color(name: "text", light: "#1f2328", dark: "#e6edf3"), Color(name: "soft", light: "#59636e", dark: "#9198a1"),
        Color(name: "rule", light: "#d1d9e0", dark: "#3d444d"), Color(name: "link", light: "#0550ae", dark: "#6cb6ff"),
    ]

    private struct Look {
        let kind: SandboxTimeline.Entry.Kind
        let light: String
        let dark: String
        let shape: String

        var color: Color { Color(name: kind.rawValue, light: light, dark: dark) }
    }

    /// The shapes, each centered on 0, 0 and at most 14 wide.
    ///
    /// The class `s` draws the outline of a shape, and `f` fills it.
    private static let kinds: [Look] = SandboxTimeline.Entry.Kind.allCases.map { kind in
        switch kind {
        case .setting: look(kind, "#656d76", "#8b949e", #"<path class="f" d="M-4-4H4V4H-4z"/>"#)
        case .order: look(kind, "#656d76", "#adb5bd", #"<circle class="s" r="5"/>"#)
        case .waiting: look(kind, "#9a6700", "#e3b341", #"<circle class="s" r="6"/><path class="s" d="M0-3V0H3"/>"#)
        case .sale: look(kind, "#0a7a52", "#3fb98a", #"<circle class="f" r="6"/>"#)
        case .refusal: look(kind, "#c4390b", "#ff7b54", #"<path class="s" d="M-5-5L5 5M5-5L-5 5"/>"#)
        case .delivery: look(kind, "#0969da", "#58a6ff", #"<path class="f" d="M-6-4H6L0 6z"/>"#)
        case .finish: look(kind, "#0b5394", "#9ecbff", #"<path class="s" d="M-6 0L-2 4L6-5"/>"#)
        case .renewal:
            look(kind, "#0a7a52", "#3fb98a", #"<path class="s" d="M5 2A5.4 5.4 0 1 1 4.2-3.4M5-6.5V-3H1.5"/>"#)
        case .restoration:
            look(kind, "#1b7c83", "#4cc3cc", #"<path class="s" d="M0-7V2M-3.5-1L0 2.5L3.5-1M-6 1V6H6V1"/>"#)
        case .subscription: look(kind, "#9a6700", "#e3b341", #"<path class="s" d="M0-6L6.5 5H-6.5zM0-1.5V1.5"/>"#)
        case .sharing:
            look(kind, "#1b7c83", "#4cc3cc", #"<circle class="s" cx="-3" r="3.5"/><circle class="s" cx="3" r="3.5"/>"#)
        case .refund:
            look(kind, "#8250df", "#c297ff", #"<path class="s" d="M-2-6L-6-2L-2 2M-6-2H2A3.5 3.5 0 0 1 2 5H-1"/>"#)
        case .deletion: look(kind, "#c4390b", "#ff7b54", #"<circle class="s" r="6"/><path class="s" d="M-3 0H3"/>"#)
        case .server: look(kind, "#5b4bc4", "#a5a0ff", #"<path class="f" d="M-6 0L-3-5.5H3L6 0L3 5.5H-3z"/>"#)
        case .notification:
            look(kind, "#5b4bc4", "#a5a0ff", #"<path class="s" d="M-6.5-4.5H6.5V4.5H-6.5zM-6-4L0 1L6-4"/>"#)
        }
    }

    private static func look(
        _ kind: SandboxTimeline.Entry.Kind,
        _ light: String,
        _ dark: String,
        _ shape: String
    ) -> Look {
        Look(kind: kind, light: light, dark: dark, shape: shape)
    }

    /// Returns the shapes of some kinds, and the shape of a command, as definitions for SVG's `use`.
    static func shapes(_ wanted: [SandboxTimeline.Entry.Kind]) -> String {
        let shapes = kinds.filter { wanted.contains($0.kind) }.map { look in
            #"<g id="k-\#(look.kind.rawValue)"><circle class="b" r="9"/>\#(look.shape)</g>"#
        }
        return "<defs>\(shapes.joined())<circle id=\"k-command\" class=\"f\" r=\"3\"/></defs>"
    }

    /// The rules for the drawing.
    static let drawing = """
        .b{fill:var(--back)}.f{fill:currentColor}
        .s{fill:var(--back);stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
        .l{fill:none;stroke:currentColor;stroke-width:1.5;opacity:.7}
        """
}

/// Functions for text in HTML and XML, and for its width.
enum MarkupText {
    /// Returns text escaped for markup, in elements and in attributes.
    ///
    /// Line breaks become spaces, and control characters, which XML forbids, U+FFFD.
    static func escaped(_ text: some StringProtocol) -> String {
        guard text.unicodeScalars.contains(where: { replacement(for: $0) != nil }) else { return String(text) }
        var result = ""
        for scalar in text.unicodeScalars {
            if let replacement = replacement(for: scalar) {
                result += replacement
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func replacement(for scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        case "\t", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": " "
        case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
        default: nil
        }
    }

    /// Returns an upper bound of the width of text, in digits of a proportional font.
    static func columns(_ text: some StringProtocol) -> Int {
        // In halves of a digit.
        var halves = 0
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x41...0x5A, 0x6D, 0x77, 0x40, 0x25: halves += 3
            case 0..<0x2000: halves += 2
            default: halves += 4
            }
        }
        return (halves + 1) / 2
    }

    /// Breaks text into lines after its spaces, and within a word that is wider than a line.
    ///
    /// Joining the lines results in the original text.
    ///
    /// - Parameters:
    ///   - text: the text to break.
    ///   - width: the width of a line, in columns.
    ///   - start: the number of columns already used in the first line.
    /// - Returns: the lines, at least one.
    static func lines(_ text: String, width: Int, after start: Int) -> [String] {
        guard start + columns(text) > width else { return [text] }
        var lines: [String] = []
        var line = ""
        var room = width - start
        func isEmptyAtStart() -> Bool { lines.isEmpty && start > 0 && line.isEmpty }
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            var word = word[...]
            let space = line.isEmpty ? 0 : 1
            if space + columns(word) <= room {
                line += (space == 0 ? "" : " ") + word
                room -= space + columns(word)
                continue
            }
            if !line.isEmpty || isEmptyAtStart() {
                lines.append(line.isEmpty ? "" : line + " ")
                (line, room) = ("", width)
            }
            while columns(word) > width {
                var end = word.startIndex
                var taken = 0
                while end < word.endIndex, taken + columns(word[end...end]) <= width || end == word.startIndex {
                    taken += columns(word[end...end])
                    end = word.index(after: end)
                }
                lines.append(String(word[..<end]))
                word = word[end...]
            }
            line = String(word)
            room = width - columns(word)
        }
        return lines + [line]
    }
}
