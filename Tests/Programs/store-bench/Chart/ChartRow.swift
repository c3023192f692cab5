/// A figure and what was measured of it.
struct ChartRow {
    let figure: Figure
    let outcome: Outcome
    /// From the smallest size to the largest; empty if growth was not measured.
    var growth: [Growth.Point] = []

    var isOver: Bool { outcome.ratio > figure.limit }

    /// All ratios that the bar and its marks show.
    var ratios: [Double] {
        [1, outcome.lowestRatio, outcome.highestRatio, figure.limit] + (figure.dream.map { [$0] } ?? [])
    }

    /// The result, beside the bar.
    var result: String {
        "\(Report.number(outcome.value)) \(figure.unit), \(Report.ratio(outcome.ratio))× the floor"
            + (isOver ? ", over the limit" : "")
    }

    /// Everything that the bar shows, for those who do not see it.
    var sentence: String {
        var sentence = "\(figure.name): \(figure.summary). \(Report.number(outcome.value)) \(figure.unit), "
        sentence += "\(Report.ratio(outcome.ratio)) times the floor of \(Report.number(outcome.floor)); "
        sentence += "the rounds lay between \(Report.ratio(outcome.lowestRatio)) "
        sentence += "and \(Report.ratio(outcome.highestRatio)). Limit \(Report.bound(figure.limit))"
        if let dream = figure.dream { sentence += ", dream \(Report.bound(dream))" }
        sentence += isOver ? "; over the limit." : "."
        if let counted = figure.growth?.counted, let unit = figure.growth?.unit, !growth.isEmpty {
            let points = growth.map { "\(Report.number($0.value)) \(unit) with \($0.size)" }
            sentence += " By number of \(counted): " + points.joined(separator: ", ") + "."
        }
        return sentence
    }

    /// What the line of growth shows, in a few words.
    var growthCaption: String? {
        guard let growth = figure.growth, let first = self.growth.first, let last = self.growth.last,
            first != last
        else { return nil }
        return "\(growth.counted), \(growth.unit)"
    }
}
