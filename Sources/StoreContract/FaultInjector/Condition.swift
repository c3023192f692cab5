import StoreCore

extension FaultInjector {
    /// A condition under which a rule applies.
    ///
    /// Conditions are joined with `&&` and evaluated from left to right. Each sees only what those before it let
    /// through. So `.product("sword") && .call(2)` is the second with a sword in it, and `.call(2) &&
    /// .product("sword")` the second of all, if there is a sword in it. Counting begins when the rule is added.
    public struct Condition: Sendable {
        enum Test: Sendable {
            case calls(ClosedRange<Int>)
            case chance(Double)
            case property(@Sendable (Event, _ label: String?) -> Bool)
        }

        let tests: [Test]

        /// Applies to everything that passes the point.
        public static let always = Condition(tests: [])

        /// Applies to the n-th that reaches this condition, counted from 1.
        ///
        /// A number below 1 stops the process.
        public static func call(_ number: Int) -> Condition { calls(number...number) }

        /// Applies to the n-th to the m-th that reach this condition, counted from 1.
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
        /// Every rule has random numbers of its own, so that other rules do not affect it. A probability outside 0...1
        /// stops the process.
        public static func chance(_ probability: Double) -> Condition {
            guard (0...1).contains(probability) else { fatalError("\(probability) is no probability; it is 0...1") }
            return Condition(tests: [.chance(probability)])
        }

        /// Applies to whatever concerns a product.
        ///
        /// That is a purchase of it, the answer to one, an update about it or a look-up of it. Other things may be in
        /// the same submission, update or look-up. A `finish` does not name its product, see ``transaction(_:)``.
        public static func product(_ identifier: String) -> Condition {
            matching { $0.productIdentifiers.contains(identifier) }
        }

        /// Applies to whatever concerns a transaction: an update about it, its finish, the answer to its finish.
        public static func transaction(_ identifier: String) -> Condition {
            matching { $0.transactionIdentifiers.contains(identifier) }
        }

        /// Applies to whatever concerns an account: everything, if the injector's ``FaultInjector/label`` is this name;
        /// otherwise what carries it as the payment's or the restore's `applicationUsername`.
        ///
        /// A backend serves one device and does not say who is signed in there, so the label identifies the account.
        public static func account(_ name: String) -> Condition {
            Condition(tests: [
                .property { event, label in label == name || event.applicationUsernames.contains(name) }
            ])
        }

        /// Applies to submissions with a purchase in them, and the answers to those.
        public static let purchases = commands { if case .purchase = $0 { true } else { false } }
        /// Applies to submissions with a finish in them, and the answers to those.
        public static let finishes = commands { if case .finish = $0 { true } else { false } }
        /// Applies to submissions with a restore in them, and the answers to those.
        public static let restores = commands { if case .restore = $0 { true } else { false } }

        /// Applies where a function returns true.
        ///
        /// The function is called on whichever thread something passes on, with a lock held: it must call neither the
        /// injector nor a queue.
        public static func matching(_ body: @escaping @Sendable (Event) -> Bool) -> Condition {
            Condition(tests: [.property { event, _ in body(event) }])
        }

        /// Returns a condition that applies where both do, the left one evaluated first.
        public static func && (left: Condition, right: Condition) -> Condition {
            Condition(tests: left.tests + right.tests)
        }

        private static func commands(_ body: @escaping @Sendable (StoreCommand.Action) -> Bool) -> Condition {
            matching { $0.commands.contains { body($0.action) } }
        }
    }
}
