import StoreCore

extension FaultInjector {
    /// A condition under which a rule applies.
    ///
    /// Conditions are joined with `&&` and evaluated from left to right. A condition counts only the messages to which
    /// the conditions before it apply: `.product("sword") && .call(2)` is the second message with a sword, and
    /// `.call(2) && .product("sword")` the second of all messages, provided that it has a sword. Counting begins when
    /// the rule is added.
    public struct Condition: Sendable {
        enum Test: Sendable {
            case calls(ClosedRange<Int>)
            case chance(Double)
            case property(@Sendable (Event, _ label: String?) -> Bool)
        }

        let tests: [Test]

        /// Applies to every message at the point.
        public static let always = Condition(tests: [])

        /// Applies to the n-th message that reaches this condition, counted from 1.
        ///
        /// A number below 1 stops the process.
        public static func call(_ number: Int) -> Condition { calls(number...number) }

        /// Applies to the n-th to the m-th message that reach this condition, counted from 1.
        ///
        /// Numbers below 1 stop the process.
        public static func calls(_ numbers: ClosedRange<Int>) -> Condition {
            guard numbers.lowerBound >= 1 else {
                fatalError("calls are counted from 1, and \(numbers.lowerBound) was asked for")
            }
            return Condition(tests: [.calls(numbers)])
        }

        /// Applies with a probability, drawn from the injector's seed.
        ///
        /// Each rule has its own random numbers, so other rules do not affect it. A probability outside 0...1 stops the
        /// process.
        public static func chance(_ probability: Double) -> Condition {
            guard (0...1).contains(probability) else { fatalError("\(probability) is no probability; it is 0...1") }
            return Condition(tests: [.chance(probability)])
        }

        /// Applies to messages that concern a product.
        ///
        /// Such a message is a purchase of the product, the reply to one, an update about it, or a look-up of it. The
        /// message may concern other products too. A `finish` does not name its product, see ``transaction(_:)``.
        public static func product(_ identifier: String) -> Condition {
            matching { $0.productIdentifiers.contains(identifier) }
        }

        /// Applies to messages that concern a transaction: an update about it, its finish, the reply to its finish.
        public static func transaction(_ identifier: String) -> Condition {
            matching { $0.transactionIdentifiers.contains(identifier) }
        }

        /// Applies to messages that concern an account.
        ///
        /// If the injector's ``FaultInjector/label`` is the name, these are all messages. Otherwise they are the
        /// messages with a payment or a restore whose `applicationUsername` is the name.
        ///
        /// A backend serves one device and does not report the account that is signed in there, so the label identifies
        /// it.
        public static func account(_ name: String) -> Condition {
            Condition(tests: [.property { event, label in label == name || event.applicationUsernames.contains(name) }])
        }

        /// Applies to submissions that contain a purchase, and the replies to them.
        public static let purchases = commands { if case .purchase = $0 { true } else { false } }
        /// Applies to submissions that contain a finish, and the replies to them.
        public static let finishes = commands { if case .finish = $0 { true } else { false } }
        /// Applies to submissions that contain a restore, and the replies to them.
        public static let restores = commands { if case .restore = $0 { true } else { false } }

        /// Applies if a function returns true.
        ///
        /// The function is called on any thread, under a lock: it must call neither the injector nor a queue.
        public static func matching(_ body: @escaping @Sendable (Event) -> Bool) -> Condition {
            Condition(tests: [.property { event, _ in body(event) }])
        }

        /// Returns a condition that applies if both conditions apply; the left one is evaluated first.
        public static func && (left: Condition, right: Condition) -> Condition {
            Condition(tests: left.tests + right.tests)
        }

        private static func commands(_ body: @escaping @Sendable (StoreCommand.Action) -> Bool) -> Condition {
            matching { $0.commands.contains { body($0.action) } }
        }
    }
}

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
        /// The remaining number of times that the rule may be applied.
        var remaining: Int
        /// The number of messages that have reached each test of the kind `calls`.
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
    /// The other rules count the message too, so the numbers of one rule do not depend on the others.
    mutating func fault(for event: FaultInjector.Event, label: String?) -> FaultInjector.Fault {
        var fault: FaultInjector.Fault?
        for index in rules.indices where rules[index].point == event.point {
            guard rules[index].applies(to: event, label), fault == nil, rules[index].remaining > 0 else { continue }
            rules[index].remaining -= 1
            fault = rules[index].fault
        }
        // Removes spent rules, which would only slow other messages down.
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
