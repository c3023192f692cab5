import StoreScenario
import StoreSimulator

extension SimulationReport {
    /// The report as JSON, in one line; `page` is the file of a failure's page.
    func json(seed: UInt64, page: String?) -> String {
        let value: JSONValue = [
            "seed": .string("\(seed)"), "runs": .number(runs),
            "failure": failure.map { failure in
                [
                    "run": .number(failure.run), "rule": .string("\(failure.rule)"),
                    "description": .string("\(failure)"), "scenario": .string(failure.scenario),
                    "page": .optional(page),
                ]
            } ?? .null,
            "reached": .object(
                reached.sorted { $0.key < $1.key }.map { JSONValue.Member(key: $0.key, value: .number($0.value)) }
            ),
        ]
        return value.encoded
    }
}
