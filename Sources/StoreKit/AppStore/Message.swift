/// A message that a store has for the user.
///
/// On Apple's platforms the message is shown as a sheet. Here the app receives the reason, and decides what to show.
public struct Message: Equatable, Hashable, Sendable {
    /// The reason for the message.
    public let reason: Reason

    /// The messages that arrive after an iteration begins.
    ///
    /// The sequence does not end by itself.
    public static var messages: Messages {
        let driver = StoreKit2Driver.current
        return Messages { driver.subscribeToMessages() }
    }

    /// A reason for a message.
    public struct Reason: RawRepresentable, Equatable, Hashable, Sendable {
        /// The number of the reason, which may differ from Apple's: Apple does not publish its numbers.
        public let rawValue: Int
        /// Creates a reason, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Any other reason.
        public static let generic = Reason(rawValue: 0)
        /// A subscription costs more from its next period on, and the user is asked for consent.
        public static let priceIncreaseConsent = Reason(rawValue: 1)
        /// A renewal could not be charged.
        public static let billingIssue = Reason(rawValue: 2)
        /// The user is eligible for a win-back offer.
        public static let winBackOffer = Reason(rawValue: 3)

        /// The reason in words, in English.
        public var localizedDescription: String {
            switch self {
            case .generic: "Message"
            case .priceIncreaseConsent: "Consent to a price increase"
            case .billingIssue: "Billing problem"
            case .winBackOffer: "Win-back offer"
            default: "Unknown"
            }
        }
    }

    /// A sequence of messages.
    ///
    /// Several tasks may iterate over it at a time. Iteration ends when the task is canceled or the payment queue ends.
    public struct Messages: AsyncSequence, Sendable {
        /// A message.
        public typealias Element = Message

        fileprivate let subscribe: @Sendable () -> Subscription<Element>

        /// Begins to receive messages.
        public func makeAsyncIterator() -> Message.Messages.AsyncIterator { AsyncIterator(subscription: subscribe()) }

        /// An iteration over messages.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// A message.
            public typealias Element = Message.Messages.Element

            fileprivate var subscription: Subscription<Element>

            /// Returns the next message; nil at the end.
            public mutating func next() async -> Message.Messages.Element? {
                await subscription.next(isolation: #isolation)
            }
        }
    }
}
