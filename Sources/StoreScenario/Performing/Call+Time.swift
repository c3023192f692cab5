import Foundation
import StoreCore

extension Call {
    /// Moves the store's clock, and says what happened meanwhile.
    func advance(to moment: Date) throws -> ScenarioAnswer {
        let before = try store.timeline.entries.count
        if let clock = store.clock as? ManualClock {
            try clock.advanceThrowing(to: moment)
        } else {
            // Throws the error that says why not.
            try store.advanceThrowing(by: moment.timeIntervalSince(store.clock.now))
        }
        let events = try store.timeline.entries.dropFirst(before).map(\.json)
        let now = JSONValue.date(store.clock.now)
        let table = ScenarioAnswer(table: events, empty: "").text
        return ScenarioAnswer(
            text: "it is \(now.text)" + (table.isEmpty ? "" : "\n\(table)"),
            json: [
                "command": .string(name), "done": .string("it is \(now.text)"), "now": now,
                "events": .array(events),
            ]
        )
    }
}

extension SandboxTimeline.Entry {
    /// The entry as JSON.
    var json: JSONValue {
        [
            "date": .date(date), "account": .optional(account), "device": .optional(device),
            "transaction": .optional(transaction), "product": .optional(productIdentifier),
            "quantity": .number(quantity), "what": .string(what),
            "refusal": .optional(refusal.map { "\($0.word ?? "code \($0.code)"): \($0.reason)" }),
        ]
    }
}
