import StoreCore

extension FaultInjector {
    /// The identifier of a rule.
    public struct RuleID: Hashable, Sendable {
        let number: Int
    }
}

/// The rules of a fault injector, each with its own count and random numbers.
struct FaultRules: Sendable {
    fileprivate struct Rule: Sendable {
        let id: FaultInjector.RuleID
        let point: FaultInjector.Point
        let fault: FaultInjector.Fault
        let condition: FaultInjector.Condition
        /// The number of times that it may still act.
        var remaining: Int
        /// The number of messages that have reached each counting test.
        var counts: [Int]
        var random: SplitMix64
    }

    private let seed: UInt64
    private var rules: [Rule] = []
    private var lastNumber = 0

    init(seed: UInt64) { self.seed = seed }

    var isEmpty: Bool { rules.isEmpty }

    mutating func add(
        _ fault: FaultInjector.Fault,
        at point: FaultInjector.Point,
        when condition: FaultInjector.Condition,
        times: Int
    ) -> FaultInjector.RuleID {
        lastNumber += 1
        let rule = Rule(
            id: FaultInjector.RuleID(number: lastNumber),
            point: point,
            fault: fault,
            condition: condition,
            remaining: times,
            counts: Array(repeating: 0, count: condition.tests.count),
            random: SplitMix64(seed: seed, stream: UInt64(lastNumber))
        )
        if times > 0 { rules.append(rule) }
        return rule.id
    }

    mutating func remove(_ id: FaultInjector.RuleID) { rules.removeAll { $0.id == id } }

    mutating func removeAll() { rules = [] }

    /// Returns the fault of the first rule that applies.
    ///
    /// The other rules count too, so that one rule's matches do not shift the numbers of another.
    mutating func fault(for event: FaultInjector.Event, label: String?) -> FaultInjector.Fault {
        var fault: FaultInjector.Fault?
        for index in rules.indices where rules[index].point == event.point {
            guard rules[index].applies(to: event, label), fault == nil, rules[index].remaining > 0 else { continue }
            rules[index].remaining -= 1
            fault = rules[index].fault
        }
        // A spent rule must not keep messages off the fast path.
        if fault != nil { rules.removeAll { $0.remaining == 0 } }
        return fault ?? .pass
    }
}

extension FaultRules.Rule {
    fileprivate mutating func applies(to event: FaultInjector.Event, _ label: String?) -> Bool {
        for (index, test) in condition.tests.enumerated() {
            switch test {
            case .calls(let numbers):
                counts[index] += 1
                guard numbers.contains(counts[index]) else { return false }
            case .chance(let probability):
                guard Double.random(in: 0..<1, using: &random) < probability else { return false }
            case .property(let body):
                guard body(event, label) else { return false }
            }
        }
        return true
    }
}
