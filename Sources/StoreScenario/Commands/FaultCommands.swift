import Foundation
import StoreContract
import StoreCore

extension ScenarioCommand {
    /// The faults without a failure of their own.
    private enum Fault: String, CaseIterable {
        case drop, delay, duplicate, echo, reorder, cut, loseAnswer
    }

    /// The points on the way between a remote device and a store, which are all but the read of the country.
    private static let points = FaultInjector.Point.allCases.filter { $0 != .storefrontRead }

    /// The command that adds a rule to the injectors of remote devices, or removes all rules.
    static let spoil = ScenarioCommand(
        "spoil",
        [ScenarioParameter("fault", .either(["off"] + Fault.allCases.map(\.rawValue), .failure))],
        [
            ScenarioOption("--at", .choice(points.map(\.rawValue)), "which messages; submission unless given"),
            ScenarioOption("--after", .duration, "how long after, for delay and echo"),
            ScenarioOption("--product", .product, "only those about a product"),
            ScenarioOption("--of", .choice(["purchases", "finishes", "restores"]), "only those with such a command"),
            ScenarioOption("--chance", .number(1...100), "in how many of 100 cases; in all unless given"),
            ScenarioOption("--times", .number(1...1_000_000), "how often at most; until off unless given"),
            ScenarioOption("--device", .device, "the device; each that there is, unless given"),
        ],
        in: .failures,
        "Messages between a served store and its remote devices have a fault"
    ) { call in
        let rule = try rule(of: call)
        let devices = try call.device(in: "--device").map { [$0] } ?? call.store.devices
        guard let connections = call.session.connections else {
            let reason = "spoil: no server connects remote devices to this store; serve it first"
            throw ScenarioError(reason, kind: .refused)
        }
        let names = devices.map(\.name).joined(separator: ", ")
        for injector in devices.map(connections.injector) {
            guard let rule else {
                injector.removeAllRules()
                continue
            }
            injector.add(rule.fault, at: rule.point, when: rule.condition, times: call.number("--times") ?? .max)
        }
        guard let rule else { return call.done("no faults: \(names)") }
        return call.done("\(call.text("fault")) at \(rule.point.rawValue): \(names)")
    }

    /// The command that lists the faults so far.
    static let faults = ScenarioCommand("faults", in: .questions, "What the command spoil has done so far") { call in
        let rows = call.store.devices.flatMap { device in
            (call.session.connections?.injector(of: device).log ?? []).map { fault -> JSONValue in
                ["device": .string(device.name), "fault": .string(fault)]
            }
        }
        return ScenarioAnswer(table: rows, empty: "no faults")
    }

    /// Returns the rule that a command describes; nil for `off`.
    private static func rule(
        of call: Call
    ) throws -> (fault: FaultInjector.Fault, point: FaultInjector.Point, condition: FaultInjector.Condition)? {
        let name = call.text("fault")
        let point = call.word("--at").flatMap { FaultInjector.Point(rawValue: $0.text) } ?? .submission
        if name == "off" {
            let others = spoil.options.map(\.name).filter { $0 != "--device" && call.has($0) }
            if let other = others.first { throw ScenarioError("spoil off ends all faults, and has no \(other)") }
            return nil
        }
        let delay = call.seconds("--after")
        let fault: FaultInjector.Fault
        switch (Fault(rawValue: name), delay) {
        case (.delay, let delay?): fault = .delay(delay)
        case (.echo, let delay?): fault = .echo(after: delay)
        case (.delay, nil), (.echo, nil): throw ScenarioError("spoil \(name) needs --after, a length of time as in 30s")
        case (_, _?): throw ScenarioError("--after is for delay and echo, and not for \(name)")
        case (.drop, nil): fault = .drop
        case (.duplicate, nil): fault = .duplicate
        case (.reorder, nil): fault = .reorder
        case (.cut, nil): fault = .cut
        case (.loseAnswer, nil): fault = .loseAnswer
        case (nil, nil): fault = call.failure("fault").map { .fail($0) } ?? .pass
        }
        return (fault, point, try condition(of: call, at: point))
    }

    private static func condition(
        of call: Call,
        at point: FaultInjector.Point
    ) throws -> FaultInjector.Condition {
        var condition = FaultInjector.Condition.always
        if call.has("--product") {
            switch point {
            case .submission, .reply, .update, .productsRequest, .productsAnswer, .downloadRequest, .downloadChunk:
                condition = .product(try call.product("--product"))
            default: throw ScenarioError("--product cannot be given at \(point.rawValue), where no product is named")
            }
        }
        if let commands = call.word("--of")?.text {
            guard point == .submission || point == .reply else {
                throw ScenarioError("--of is for submission and reply, and not for \(point.rawValue)")
            }
            switch commands {
            case "purchases": condition = condition && .purchases
            case "finishes": condition = condition && .finishes
            default: condition = condition && .restores
            }
        }
        return call.number("--chance").map { condition && .chance(Double($0) / 100) } ?? condition
    }
}
