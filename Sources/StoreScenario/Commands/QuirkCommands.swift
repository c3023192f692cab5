import Foundation
import StoreCore

extension ScenarioCommand {
    /// The command that sets quirks.
    static let quirk = ScenarioCommand(
        "quirk",
        [ScenarioParameter("names", .quirks), .state],
        in: .failures,
        isSetting: true,
        "What some real stores were seen to do, and this one does not by itself"
    ) { call in
        var quirks = call.store.quirks
        let named = call.quirks("names")
        if call.isOn { quirks.turnOn(named) } else { quirks.turnOff(named) }
        call.store.quirks = quirks
        return call.done("quirks: \(quirks.isEmpty ? "none" : quirks.names.joined(separator: ", "))")
    }

    /// The command that lists all quirks.
    static let quirks = ScenarioCommand(
        "quirks",
        in: .questions,
        "Every quirk that a store can have, and who has seen it"
    ) { call in
        let quirks = call.store.quirks
        let rows = StoreQuirk.Kind.allCases.map { kind -> JSONValue in
            let quirk = quirks.first { $0.kind == kind }
            return [
                "quirk": .string((quirk ?? StoreQuirk(kind)).description), "on": .bool(quirk != nil),
                "seconds": .optional((quirk ?? StoreQuirk(kind)).seconds.flatMap { Decimal(string: "\($0)") }),
                "sentence": .string(kind.sentence),
                "systems": .string(kind.systems.joined(separator: ", ")), "source": .string(kind.source),
            ]
        }
        return ScenarioAnswer(table: rows, empty: "no quirks")
    }
}

extension Call {
    /// Returns the quirks that a word names.
    fileprivate func quirks(_ name: String) -> Set<StoreQuirk> {
        text(name).split(separator: ",").reduce(into: []) { quirks, part in
            if part == "all" {
                quirks.turnOn(Set(StoreQuirk.Kind.allCases.map { StoreQuirk($0) }))
            } else {
                quirks.turnOn(QuirkNames.quirks(named: String(part)) ?? [])
            }
        }
    }
}
