import Foundation

/// Elements of an SVG document, as text.
enum SVG {
    /// Returns an element with its attributes in the given order; children are markup already.
    static func element(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ children: String...)
        -> String
    {
        let start = "<\(name)" + attributes.map { " \($0)=\"\(escaped($1))\"" }.joined()
        return children.isEmpty ? start + "/>" : start + ">" + children.joined() + "</\(name)>"
    }

    static func text(_ text: String, x: Double, y: Double, class name: String, anchor: String = "start") -> String {
        element("text", ["x": place(x), "y": place(y), "class": name, "text-anchor": anchor], escaped(text))
    }

    static func escaped(_ text: String) -> String {
        // XML has no place for control characters, escaped or not.
        String(text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\n" || $0 == "\t" }.map(Character.init))
            .replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;")
            .replacingOccurrences(of: "\"", with: "&quot;")
    }

    /// Formats a coordinate, in tenths of a pixel.
    static func place(_ value: Double) -> String { String(format: "%.1f", value) }
}
