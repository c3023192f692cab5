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
