import StoreCore

extension FaultInjector {
    /// When a rule applies.
    ///
    /// Conditions are joined with `&&` and looked at from left to right; each sees only what those before it let
    /// through. So `.product("sword") && .call(2)` is the second with a sword in it, and `.call(2) && .product("sword")`
    /// the second of all, if there is a sword in it. Counting begins when the rule is added.
    public struct Condition: Sendable {
        enum Test: Sendable {
            case calls(ClosedRange<Int>)
            case chance(Double)
            case property(@Sendable (Crossing, _ label: String?) -> Bool)
        }

        let tests: [Test]

        /// Whatever passes at the point.
        public static let always = Condition(tests: [])

        /// The n-th that gets here, counted from 1.
        ///
        /// A number below 1 stops the process.
        public static func call(_ number: Int) -> Condition { calls(number...number) }

        /// The n-th to the m-th that get here, counted from 1.
        ///
        /// Numbers below 1 stop the process.
        public static func calls(_ numbers: ClosedRange<Int>) -> Condition {
            guard numbers.lowerBound >= 1 else {
                fatalError("calls are counted from 1, and \(numbers.lowerBound) was asked for")
            }
            return Condition(tests: [.calls(numbers)])
        }

        /// Each by a chance that the interposer's seed decides.
        ///
        /// Every rule has random numbers of its own, so that what other rules do changes nothing for it. A probability
        /// outside 0...1 stops the process.
        public static func chance(_ probability: Double) -> Condition {
            guard (0...1).contains(probability) else { fatalError("\(probability) is no probability; it is 0...1") }
            return Condition(tests: [.chance(probability)])
        }

        /// What concerns a product.
        ///
        /// That is a purchase of it, the answer to one, an update about it, a look-up of it. Other things may be in the
        /// same submission, update or look-up. A `finish` does not name its product, see ``transaction(_:)``.
        public static func product(_ identifier: String) -> Condition {
            matching { $0.productIdentifiers.contains(identifier) }
        }

        /// What concerns a transaction: an update about it, its finish, the answer to its finish.
        public static func transaction(_ identifier: String) -> Condition {
            matching { $0.transactionIdentifiers.contains(identifier) }
        }

        /// What concerns an account: everything, if the interposer's ``FaultInjector/label`` is this name; otherwise what
        /// carries it as the payment's or the restore's `applicationUsername`.
        ///
        /// A backend serves one device and does not say who is signed in there, so it is the label that tells.
        public static func account(_ name: String) -> Condition {
            Condition(tests: [
                .property { crossing, label in label == name || crossing.applicationUsernames.contains(name) }
            ])
        }

        /// Submissions with a purchase in them, and the answers to those.
        public static let purchases = commands { if case .purchase = $0 { true } else { false } }
        /// Submissions with a finish in them, and the answers to those.
        public static let finishes = commands { if case .finish = $0 { true } else { false } }
        /// Submissions with a restore in them, and the answers to those.
        public static let restores = commands { if case .restore = $0 { true } else { false } }

        /// What something is true of.
        ///
        /// The function is called on whichever thread something passes on, with a lock held: it must call neither the
        /// interposer nor a queue.
        public static func matching(_ body: @escaping @Sendable (Crossing) -> Bool) -> Condition {
            Condition(tests: [.property { crossing, _ in body(crossing) }])
        }

        /// Both, the left one first.
        public static func && (left: Condition, right: Condition) -> Condition {
            Condition(tests: left.tests + right.tests)
        }

        private static func commands(_ body: @escaping @Sendable (StoreCommand.Action) -> Bool) -> Condition {
            matching { $0.commands.contains { body($0.action) } }
        }
    }
}
