import Foundation

// The delivery of notifications, which can change while the server runs.
extension StoreServer {
    /// The URL to which notifications are sent; nil to send none.
    ///
    /// The next attempt goes to a new URL. If there was none before, notifications that were not sent are sent now.
    public var notificationURL: URL? {
        get { outbox.url }
        set { outbox.url = newValue }
    }

    /// The seconds, by the store's clock, from each failed delivery of a notification to the next attempt.
    ///
    /// A new value applies to attempts from now on, and leaves the dates of the retries of earlier ones.
    public var retries: [TimeInterval] {
        get { outbox.delays }
        set { outbox.delays = newValue }
    }

    /// Whether a notification is sent again after a response with HTTP status 400.
    ///
    /// The quirk `StoreQuirk.badRequestIsFinal` of the store prevents that as well; either is enough.
    ///
    /// A server that is opened later on the same ledger does not know the status of earlier responses, and sends such a
    /// notification again if it has retries left.
    public var retriesAfterBadRequest: Bool {
        get { outbox.retriesAfterBadRequest }
        set { outbox.retriesAfterBadRequest = newValue }
    }

    /// The seconds in which the app's server has to choose a retention message, limited to the range from 0.001 to 86,400.
    public var retentionTimeout: TimeInterval {
        get { realtime.timeout }
        set { realtime.timeout = newValue }
    }

    /// Delivers notifications with a fault, as a hostile or unreliable network does.
    ///
    /// ```swift
    /// try server.deliverNotifications(with: .twice, times: 1)
    /// try server.deliverNotifications(with: .late(seconds: 3600), ofType: "DID_RENEW")
    /// ```
    ///
    /// The first rule that a notification satisfies applies to it, in the order of the calls.
    ///
    /// - Parameters:
    ///   - fault: the fault.
    ///   - times: the number of notifications, at least 1; nil for all until ``deliverNotificationsNormally()`` is
    ///     called.
    ///   - type: the type of the notifications, such as `DID_RENEW`; nil for every type.
    /// - Throws: ``StoreServerError`` for an unknown type, and for a number of times or seconds out of range. For
    ///   ``DeliveryFault/Forgery/foreignRoot``, also ``StoreServerError`` if the store's signer has no chain of
    ///   certificates, and the signer's errors.
    public func deliverNotifications(
        with fault: DeliveryFault,
        times: Int? = nil,
        ofType type: String? = nil
    ) throws {
        let rule = DeliveryRule(fault: fault, times: times, type: type)
        try outbox.check(rule)
        outbox.add(rule)
    }

    /// The rules of ``deliverNotifications(with:times:ofType:)`` that apply to further notifications, in order.
    package var deliveryRules: [DeliveryRule] { outbox.rules }

    /// Removes the rules of ``deliverNotifications(with:times:ofType:)``, and delivers what they hold back.
    public func deliverNotificationsNormally() { outbox.replaceRules([]) }
}
