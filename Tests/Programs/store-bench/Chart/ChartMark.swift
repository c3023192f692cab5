/// A mark on a bar; shape and color both tell them apart.
enum ChartMark: String {
    case floor, limit, dream

    func drawn(x: Double, y: Double) -> String {
        let (x, y) = (SVG.place(x), SVG.place(y))
        return switch self {
        case .floor: SVG.element("circle", ["class": "floor", "cx": x, "cy": y, "r": "5"])
        case .limit: SVG.element("path", ["class": "limit", "d": "M\(x),\(y)m-2,-10h4v20h-4z"])
        case .dream: SVG.element("path", ["class": "dream", "d": "M\(x),\(y)m0,-7l6,7l-6,7l-6,-7z"])
        }
    }
}
