import Foundation
import StoreCore
import StoreScenario

extension ConsoleReader {
    /// Returns what falls due before the clock moves to a moment, or to the next renewal; where none succeeds, to the next change.
    func due(_ query: ControlQuery) throws -> JSONValue {
        // Moments are written in whole seconds, and a clock that moves to the one before the renewal does not reach it.
        let moment =
            query["until"] == "next"
            ? (store.nextRenewal ?? store.dueChanges(limit: 1).changes.first?.date)
                .map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.up)) }
            : try query.beginning("until")
        guard let moment else {
            guard query["until"] == "next" else {
                throw ControlFailure(.invalid, "until is missing: a date, or next for the next renewal")
            }
            return ["until": .null, "counts": .array([]), "sentence": .string("nothing falls due")]
        }
        let forecast = store.forecast(until: moment)
        let counts = DueChange.Kind.allCases.compactMap { kind in forecast.counts[kind].map { (kind, $0) } }
        let sentence = counts.map { Self.words($0, $1) }.joined(separator: ", ")
        return [
            "until": .date(moment),
            "counts": .array(counts.map { ["what": .string($0.rawValue), "count": .number($1)] }),
            "sentence": .string(
                sentence.isEmpty ? "nothing falls due" : (forecast.hasMore ? "more than " : "") + sentence
            ),
        ]
    }

    private static func words(_ kind: DueChange.Kind, _ count: Int) -> String {
        switch kind {
        case .renews: ConsoleWords.count(count, "renewal")
        case .ends: "\(ConsoleWords.count(count, "subscription")) \(count == 1 ? "ends" : "end")"
        case .paymentFails: "\(ConsoleWords.count(count, "payment")) \(count == 1 ? "fails" : "fail")"
        case .graceEnds: "\(ConsoleWords.count(count, "grace period")) \(count == 1 ? "ends" : "end")"
        }
    }
}
