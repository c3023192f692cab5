/// The shapes and colors of a timeline's marks: each kind has a shape of its own, so that nobody needs the colors.
enum TimelineStyle {
    /// Colors by day and by night.
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

    /// The shapes, each around 0, 0 and 14 wide at the most.
    ///
    /// `s` is drawn with a line, `f` filled.
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

    /// The shapes of kinds, and of a command, for `use`.
    static func shapes(_ wanted: [SandboxTimeline.Entry.Kind]) -> String {
        let shapes = kinds.filter { wanted.contains($0.kind) }.map { look in
            #"<g id="k-\#(look.kind.rawValue)"><circle class="b" r="9"/>\#(look.shape)</g>"#
        }
        return "<defs>\(shapes.joined())<circle id=\"k-command\" class=\"f\" r=\"3\"/></defs>"
    }

    /// Rules for what is drawn.
    static let drawing = """
        .b{fill:var(--back)}.f{fill:currentColor}
        .s{fill:var(--back);stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
        .l{fill:none;stroke:currentColor;stroke-width:1.5;opacity:.7}
        """
}
