import Foundation

/// A fault in the delivery of a notification, as a hostile or unreliable network has it.
///
/// ``StoreServer/deliverNotifications(with:times:ofType:)`` orders one. Whatever the fault, the store's ledger has one
/// attempt for each delivery, with the response to the genuine notification; posts that a fault adds are not attempts.
///
/// Later versions may add cases: a `switch` needs a `default`.
public enum DeliveryFault: Hashable, Sendable {
    /// The notification is posted a second time after the first response.
    case twice
    /// The notification is posted twice at the same time.
    case concurrent
    /// The notification is delivered after the next one.
    ///
    /// Nothing else waits for the next one: if the fault is ordered for several notifications, they are exchanged in
    /// pairs.
    case reordered
    /// The notification is delivered after a number of seconds by the store's clock, and others are not held up.
    ///
    /// The number is from 0 to 315,360,000, which is 10 years.
    case late(seconds: TimeInterval)
    /// The response arrives too late: the attempt has timed out for the App Store, which sends the notification again
    /// if it has retries.
    case slow
    /// The notification before this one is posted again after it.
    ///
    /// The first notification of a store has none before it, so the fault waits for the second one.
    case replayed
    /// A forged notification is posted before the genuine one.
    case forged(Forgery)
    /// The notification is not posted.
    ///
    /// Each attempt, the first one and the retries, is recorded as one without a response.
    case never

    /// The defect of a forged notification.
    ///
    /// Apart from the defect, and from what ``changedPayload`` says, the notification is the genuine one, with its
    /// `notificationUUID`.
    public enum Forgery: String, CaseIterable, Hashable, Sendable {
        /// The certificates lead to another root, whose name is the same.
        case foreignRoot
        /// The payload was changed after it was signed: it reports a refund, or the reversal of one.
        case changedPayload
        /// The environment is another one than the store's: `Production` in the sandbox, otherwise `Sandbox`.
        case wrongEnvironment
        /// The bundle identifier is that of another app.
        case wrongBundleIdentifier
    }

    /// The name of the fault over HTTP; a forgery has its own name.
    var name: String {
        switch self {
        case .twice: "twice"
        case .concurrent: "concurrent"
        case .reordered: "reordered"
        case .late: "late"
        case .slow: "slow"
        case .replayed: "replayed"
        case .forged(let forgery): forgery.rawValue
        case .never: "never"
        }
    }

    /// The names of all faults.
    static let names = named(lateBy: 0).map(\.name)

    /// Returns the fault with a name; nil if no fault has the name.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - seconds: the delay of the fault ``late(seconds:)``.
    init?(name: String, seconds: TimeInterval) {
        guard let fault = Self.named(lateBy: seconds).first(where: { $0.name == name }) else { return nil }
        self = fault
    }

    private static func named(lateBy seconds: TimeInterval) -> [DeliveryFault] {
        [.twice, .concurrent, .reordered, .late(seconds: seconds), .slow, .replayed]
            + Forgery.allCases.map { .forged($0) } + [.never]
    }

    /// The maximum number of seconds by which a notification can be late: 10 years.
    static let maximumDelay: TimeInterval = 315_360_000
}
