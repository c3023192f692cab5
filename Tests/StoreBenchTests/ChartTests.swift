import Foundation
import Testing

@testable import store_bench

#if canImport(FoundationXML)
    import FoundationXML
#endif

struct ChartTests {
    @Test func `a chart is one well-formed document without outside references`() throws {
        let chart = Chart(rows: [row("a"), row("b", ratio: 9, dream: 1.1, growth: [(1_000, 20), (1_000_000, 22)])])
        let elements = try Elements(chart.svg)
        #expect(elements.names.first == "svg")
        #expect(elements.names.contains("title") && elements.names.contains("desc"))
        #expect(elements.attributes.allSatisfy { $0["href"] == nil && $0["src"] == nil })
        #expect(!chart.svg.contains("url(") && !chart.svg.contains("@import"))
    }

    @Test func `each figure has its words for a screen reader`() throws {
        let chart = Chart(rows: [
            row("purchase.sync", ratio: 1.25, limit: 1.5, dream: 1.1),
            row("grows", ratio: 2, limit: 1.5, growth: [(1_000, 20), (10_000, 200)]),
        ])
        let labels = try Elements(chart.svg).attributes.filter { $0["role"] == "listitem" }.compactMap {
            $0["aria-label"]
        }
        try #require(labels.count == 2)
        #expect(
            labels[0] == "purchase.sync: does a thing. 125.0 ns, 1.25 times the floor of 100.0; the rounds lay between "
                + "1.20 and 1.30. Limit 1.5, dream 1.1."
        )
        #expect(labels[1].contains("Limit 1.5; over the limit."))
        #expect(labels[1].hasSuffix("By number of things: 20.0 ns/thing with 1000, 200.0 ns/thing with 10000."))
    }

    @Test func `a figure without a dream has no mark for one`() throws {
        func dreams(_ row: ChartRow) throws -> Int {
            try Elements(Chart(rows: [row]).svg).attributes.count { $0["class"] == "dream" }
        }
        // The legend has one.
        #expect(try dreams(row("a")) == 1)
        #expect(try dreams(row("a", dream: 1.2)) == 2)
    }

    @Test func `a figure without growth has no line`() throws {
        func lines(_ row: ChartRow) throws -> Int {
            try Elements(Chart(rows: [row]).svg).names.count { $0 == "polyline" }
        }
        #expect(try lines(row("a")) == 0)
        #expect(try lines(row("a", growth: [(1_000, 5)])) == 0)
        #expect(try lines(row("a", growth: [(1_000, 5), (10_000, 5)])) == 1)
    }

    @Test func `a chart without growth keeps no room for it`() throws {
        func picture(_ row: ChartRow) throws -> (width: String?, text: String) {
            let elements = try Elements(Chart(rows: [row]).svg)
            return (elements.attributes.first?["width"], elements.text)
        }
        let (without, with) = (try picture(row("a")), try picture(row("a", growth: [(1_000, 5), (10_000, 5)])))
        #expect(without.width == "664" && !without.text.contains("growth"))
        #expect(with.width == "960" && with.text.contains("growth with size"))
    }

    @Test func `words with markup in them stay words`() throws {
        let summary = "a < b && \"c\" > 'd' \u{1}"
        let elements = try Elements(Chart(rows: [row("a", summary: summary)]).svg)
        #expect(elements.text.contains("a < b && \"c\" > 'd' "))
    }

    @Test func `a chart without figures is a document too`() throws {
        #expect(try Elements(Chart().svg).text.contains("0 figures"))
    }

    @Test(arguments: [(0.01, 24.0), (0.1, 24), (1, 62), (10, 100), (1_000, 100)])
    func `a logarithmic scale keeps everything inside its range`(number: Double, place: Double) {
        let scale = LogScale(domain: 0.1...10, range: 24...100)
        #expect(abs(scale(number) - place) < 1e-9)
    }

    private func row(
        _ name: String,
        summary: String = "does a thing",
        ratio: Double = 1,
        limit: Double = 1.5,
        dream: Double? = nil,
        growth: [(size: Int, value: Double)] = []
    ) -> ChartRow {
        let figure = Figure(
            name: name,
            summary: summary,
            unit: "ns",
            limit: limit,
            dream: dream,
            growth: Growth(of: "things", unit: "ns/thing") { _ in Growth.Probe { Sample(value: 0) } },
            makeCases: { Cases(floor: { Sample(value: 1) }, value: { Sample(value: 1) }) }
        )
        let values = [ratio, ratio - 0.05, ratio, ratio + 0.05].map { Sample(value: 100 * $0) }
        let outcome = Outcome(floors: values.map { _ in Sample(value: 100) }, values: values)
        return ChartRow(
            figure: figure,
            outcome: outcome,
            growth: growth.map { Growth.Point(size: $0.size, value: $0.value) }
        )
    }
}

/// What a parser finds in a document.
private final class Elements: NSObject, XMLParserDelegate {
    private(set) var names: [String] = []
    private(set) var attributes: [[String: String]] = []
    private(set) var text = ""

    init(_ svg: String) throws {
        super.init()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = self
        let isWellFormed = parser.parse()
        try #require(isWellFormed, "\(String(describing: parser.parserError)) at line \(parser.lineNumber)")
    }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        names.append(name)
        self.attributes.append(attributes)
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
}
