import Foundation

/// The chart's colors and type, by day and by night.
enum ChartStyle {
    static let css = """
        :root { --ground: #ffffff; --ink: #1b1f24; --quiet: #57606a; --grid: #d8dee4; --bar: #a9c7ec; \
        --slow: #f2a9a0; --floor: #57606a; --limit: #b3261e; --dream: #1a7f37; --line: #0a58b0 }
        @media (prefers-color-scheme: dark) { :root { --ground: #0f1419; --ink: #e6edf3; --quiet: #9aa7b4; \
        --grid: #2b333c; --bar: #2f5a8f; --slow: #8f3a33; --floor: #c3ccd5; --limit: #ff8a80; --dream: #56d364; \
        --line: #79b8ff } }
        text { font-family: system-ui, sans-serif; font-size: 13px; fill: var(--ink); \
        paint-order: stroke; stroke: var(--ground); stroke-width: 3px }
        .heading { font-size: 20px; font-weight: 600 }
        .name { font-weight: 600 }
        .small { font-size: 11px; fill: var(--quiet) }
        .over { font-weight: 600; fill: var(--limit) }
        .ground { fill: var(--ground) }
        .grid { stroke: var(--grid); fill: none }
        .base { stroke: var(--quiet); fill: none; stroke-dasharray: 3 3 }
        .bar { fill: var(--bar) }
        .slow { fill: var(--slow) }
        .spread { stroke: var(--ink); fill: none }
        .floor { fill: var(--ground); stroke: var(--floor); stroke-width: 2 }
        .limit { fill: var(--limit) }
        .dream { fill: var(--dream); stroke: var(--ground) }
        .line { stroke: var(--line); stroke-width: 1.5; fill: none }
        .dot { fill: var(--line) }
        """
}

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

/// A logarithmic scale from numbers to places.
struct LogScale {
    let domain: ClosedRange<Double>
    let range: ClosedRange<Double>

    /// Returns the place of a number; the nearest end for one outside the domain.
    func callAsFunction(_ number: Double) -> Double {
        let (low, high) = (log(domain.lowerBound), log(domain.upperBound))
        let clamped = min(max(number, domain.lowerBound), domain.upperBound)
        let part = high > low ? (log(clamped) - low) / (high - low) : 0.5
        return range.lowerBound + part * (range.upperBound - range.lowerBound)
    }

    /// The round numbers in the domain: 1, 2 and 5 in every power of ten.
    var ticks: [Double] {
        let powers = Int(log10(domain.lowerBound).rounded(.down))...Int(log10(domain.upperBound).rounded(.up))
        return powers.flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }.filter(domain.contains)
    }
}
