/// The shapes and colors of a timeline's marks; each kind has its own shape, so the picture is readable without colors.
enum TimelineStyle {
    /// The colors in light and dark mode.
    static let colors = """
        :root{color-scheme:light dark;\(properties { $0.light })}
        @media screen and (prefers-color-scheme:dark){:root{\(properties { $0.dark })}}
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
        Color(name: "back", light: "#ffffff", dark: "#0d1117"), Color(name: "band", light: "#f4f6f8", dark: "#171c23"),
        Color(name: "text", light: "#15181c", dark: "#e7eaed"), Color(name: "soft", light: "#57606b", dark: "#9ba5b0"),
        Color(name: "rule", light: "#d5dae0", dark: "#333b45"), Color(name: "edge", light: "#828b96", dark: "#76808b"),
        Color(name: "link", light: "#0b5cad", dark: "#7db6ff"),
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
        case .setting: look(kind, "#57606b", "#9ba5b0", #"<path class="f" d="M-4-4H4V4H-4z"/>"#)
        case .order: look(kind, "#57606b", "#9ba5b0", #"<circle class="s" r="5"/>"#)
        case .waiting: look(kind, "#865300", "#e3b04b", #"<circle class="s" r="6"/><path class="s" d="M0-3V0H3"/>"#)
        case .sale: look(kind, "#19693a", "#5cc985", #"<circle class="f" r="6"/>"#)
        case .refusal: look(kind, "#b3261e", "#ff8e84", #"<path class="s" d="M-5-5L5 5M5-5L-5 5"/>"#)
        case .delivery: look(kind, "#0b5cad", "#7db6ff", #"<path class="f" d="M-6-4H6L0 6z"/>"#)
        case .finish: look(kind, "#0b5cad", "#7db6ff", #"<path class="s" d="M-6 0L-2 4L6-5"/>"#)
        case .renewal:
            look(kind, "#19693a", "#5cc985", #"<path class="s" d="M5 2A5.4 5.4 0 1 1 4.2-3.4M5-6.5V-3H1.5"/>"#)
        case .restoration:
            look(kind, "#0b5cad", "#7db6ff", #"<path class="s" d="M0-7V2M-3.5-1L0 2.5L3.5-1M-6 1V6H6V1"/>"#)
        case .subscription: look(kind, "#865300", "#e3b04b", #"<path class="s" d="M0-6L6.5 5H-6.5zM0-1.5V1.5"/>"#)
        case .sharing:
            look(kind, "#0b5cad", "#7db6ff", #"<circle class="s" cx="-3" r="3.5"/><circle class="s" cx="3" r="3.5"/>"#)
        case .refund:
            look(kind, "#6a3db0", "#c0a0ff", #"<path class="s" d="M-2-6L-6-2L-2 2M-6-2H2A3.5 3.5 0 0 1 2 5H-1"/>"#)
        case .deletion: look(kind, "#b3261e", "#ff8e84", #"<circle class="s" r="6"/><path class="s" d="M-3 0H3"/>"#)
        case .server: look(kind, "#0f6670", "#4cc3cc", #"<path class="f" d="M-6 0L-3-5.5H3L6 0L3 5.5H-3z"/>"#)
        case .notification:
            look(kind, "#0f6670", "#4cc3cc", #"<path class="s" d="M-6.5-4.5H6.5V4.5H-6.5zM-6-4L0 1L6-4"/>"#)
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

    /// Returns the shapes of some kinds, of a command, and the glyphs of lanes, as definitions for SVG's `use`.
    static func shapes(_ wanted: [SandboxTimeline.Entry.Kind], _ lanes: [TimelineLane]) -> String {
        let shapes = kinds.filter { wanted.contains($0.kind) }.map { look in
            #"<g id="k-\#(look.kind.rawValue)"><circle class="b" r="9"/>\#(look.shape)</g>"#
        }
        var text = "<defs>\(shapes.joined())<circle id=\"k-command\" class=\"f\" r=\"3\"/>"
        for (kind, glyph) in glyphs where lanes.contains(where: { $0.kind == kind }) {
            text += "<path id=\"i-\(kind.rawValue)\" class=\"i\" d=\"\(glyph)\"/>"
        }
        return text + "</defs>"
    }

    /// The glyphs of lanes, each centered on 0, 0 and at most 14 wide.
    private static let glyphs: [(TimelineLane.Kind, String)] = [
        (.account, "M3-3.5A3 3 0 1 1-3-3.5A3 3 0 0 1 3-3.5M-6 7C-6 3-3.5 1.5 0 1.5S6 3 6 7"),
        (.device, "M-4-5A2 2 0 0 1-2-7H2A2 2 0 0 1 4-5V5A2 2 0 0 1 2 7H-2A2 2 0 0 1-4 5zM-1 4.5H1"),
        (.queue, "M-6-5H6M-6 0H6M-6 5H6"),
        (.store, "M-5.5-1V6.5H5.5V-1M-7-2L-5-6.5H5L7-2z"),
        (.server, "M-6-6.5H6V-1H-6zM-6 1H6V6.5H-6zM-3.5-3.8H-3M-3.5 3.8H-3"),
    ]

    /// The rules for the drawing.
    static let drawing = """
        .b{fill:var(--back)}.f{fill:currentColor}
        .s{fill:var(--back);stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
        .i{fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
        .l{fill:none;stroke:currentColor;stroke-width:1.5;opacity:.75}
        """
}
