import Foundation
import StoreCore

/// A length of time in a scenario's words: `1y`, `1mo`, `2w`, `7d`, `12h`, `5min` or `30s`, or several in one word.
///
/// Years and months are those of the calendar in UTC, so that their length depends on their beginning.
struct ScenarioDuration: Sendable {
    private enum Unit: String, CaseIterable {
        case year = "y"
        case month = "mo"
        case week = "w"
        case day = "d"
        case hour = "h"
        case minute = "min"
        case second = "s"
    }

    private let parts: [(count: Int, unit: Unit)]

    /// The greatest number before a unit.
    private static let limit = 100_000

    /// Reads a word; nil for one that is no length of time.
    init?(_ text: String) {
        var parts: [(Int, Unit)] = []
        var rest = text[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let letters = rest.dropFirst(digits.count).prefix { $0.isLetter }
            guard let count = Int(digits), count <= Self.limit, let unit = Unit(rawValue: String(letters)) else {
                return nil
            }
            parts.append((count, unit))
            rest = rest[letters.endIndex...]
        }
        guard !parts.isEmpty else { return nil }
        self.parts = parts
    }

    /// Returns the moment at which it is over.
    func end(from start: Date) -> Date {
        parts.reduce(start) { start, part in
            switch part.unit {
            case .year: Self.calendar(.init(part.count, .year), start)
            case .month: Self.calendar(.init(part.count, .month), start)
            case .week: start + Double(part.count) * 604_800
            case .day: start + Double(part.count) * 86_400
            case .hour: start + Double(part.count) * 3_600
            case .minute: start + Double(part.count) * 60
            case .second: start + Double(part.count)
            }
        }
    }

    private static func calendar(_ period: StoreProduct.Period, _ start: Date) -> Date {
        period.count == 0 ? start : RenewalRate.realTime.end(of: period, from: start)
    }
}
