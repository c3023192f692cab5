import Foundation
import StoreCore

extension Product.SubscriptionInfo {
    /// The status of a subscription: its state, its newest transaction and its next renewal.
    public struct Status: Equatable, Hashable, Sendable {
        /// The state at the time of signing.
        public let state: Product.SubscriptionInfo.RenewalState
        /// The transaction that began the current period, or the last one.
        public let transaction: VerificationResult<Transaction>
        /// The next renewal, or the reason why there is none.
        public let renewalInfo: VerificationResult<Product.SubscriptionInfo.RenewalInfo>

        init(_ signed: SignedSubscription, _ origin: StoreOrigin?) {
            state = RenewalState(rawValue: signed.state.rawValue)
            transaction = VerificationResult(signed.transaction, origin)
            renewalInfo = VerificationResult(signed.renewal)
        }

        /// The statuses that change after an iteration begins.
        ///
        /// An unchanged status may be delivered too, if the store was unreachable when an iteration began and has
        /// changed since. The sequence does not end by itself.
        public static var updates: Statuses {
            let driver = StoreKit2Driver.current
            return Statuses { driver.subscribeToStatuses() }
        }

        /// The statuses of every group in which the account ever subscribed, read when iteration begins.
        ///
        /// Empty if the store does not respond.
        public static var all: AsyncStream<(groupID: String, statuses: [Product.SubscriptionInfo.Status])> {
            let driver = StoreKit2Driver.current
            // Nil before the first iteration begins.
            let groups = Locked<ArraySlice<(groupID: String, statuses: [Self])>?>(nil)
            return AsyncStream {
                if groups.withLock({ $0 == nil }) {
                    let statuses = (try? await driver.statuses(.all)) ?? []
                    groups.withLock { $0 = byGroup(statuses)[...] }
                }
                return groups.withLock { $0?.popFirst() }
            }
        }

        /// Groups statuses, in the order in which their groups first occur.
        private static func byGroup(_ statuses: [Self]) -> [(groupID: String, statuses: [Self])] {
            var groups: [(groupID: String, statuses: [Self])] = []
            var indices: [ExactText: Int] = [:]
            for status in statuses {
                guard let group = status.transaction.unsafePayloadValue.subscriptionGroupID else { continue }
                if let index = indices[ExactText(group)] {
                    groups[index].statuses.append(status)
                } else {
                    indices[ExactText(group)] = groups.count
                    groups.append((group, [status]))
                }
            }
            return groups
        }
    }
}

extension Product.SubscriptionInfo.Status {
    /// A sequence of statuses that changed.
    ///
    /// Several tasks may iterate over it at a time. Iteration ends when the task is canceled or the payment queue ends.
    public struct Statuses: AsyncSequence, Sendable {
        /// A status.
        public typealias Element = Product.SubscriptionInfo.Status

        fileprivate let subscribe: @Sendable () -> Subscription<Element>

        /// Begins to receive statuses.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscribe()) }

        /// An iteration over statuses.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// A status.
            public typealias Element = Product.SubscriptionInfo.Status.Statuses.Element

            fileprivate var subscription: Subscription<Element>

            /// Returns the next status; nil at the end.
            public mutating func next() async -> Product.SubscriptionInfo.Status.Statuses.Element? {
                await subscription.next(isolation: #isolation)
            }
        }
    }
}

extension Product.SubscriptionInfo {
    /// The state of a subscription.
    public struct RenewalState: RawRepresentable, Equatable, Hashable, Sendable {
        /// The number of the state, as used by the App Store's servers.
        public let rawValue: Int
        /// Creates a state, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The current period is paid for.
        public static let subscribed = RenewalState(rawValue: 1)
        /// The last period is over, and the store no longer charges.
        public static let expired = RenewalState(rawValue: 2)
        /// The last renewal could not be charged and is tried again; the user has no access.
        public static let inBillingRetryPeriod = RenewalState(rawValue: 3)
        /// The last renewal could not be charged; the user still has access for a while.
        public static let inGracePeriod = RenewalState(rawValue: 4)
        /// The current period was refunded, or is no longer shared by the family.
        public static let revoked = RenewalState(rawValue: 5)

        /// The state in words, in English.
        public var localizedDescription: String {
            switch self {
            case .subscribed: "Subscribed"
            case .expired: "Expired"
            case .inBillingRetryPeriod: "Billing retry"
            case .inGracePeriod: "Grace period"
            case .revoked: "Revoked"
            default: "Unknown"
            }
        }
    }
}

/// The terms of a product that is an auto-renewable subscription.
public typealias SubscriptionInfo = Product.SubscriptionInfo
/// A length of time in calendar units.
public typealias SubscriptionPeriod = Product.SubscriptionPeriod
/// Information about the next renewal of a subscription.
public typealias SubscriptionRenewalInfo = Product.SubscriptionInfo.RenewalInfo
/// The state of a subscription.
public typealias SubscriptionRenewalState = Product.SubscriptionInfo.RenewalState
/// The status of a subscription.
public typealias SubscriptionStatus = Product.SubscriptionInfo.Status

extension DateComponents {
    /// Creates the components of a subscription period: the component for its unit is set to its value.
    public init(subscriptionPeriod period: Product.SubscriptionPeriod) {
        self.init()
        switch period.unit {
        case .day: day = period.value
        case .week: weekOfYear = period.value
        case .month: month = period.value
        case .year: year = period.value
        }
    }
}
