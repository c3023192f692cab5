import Foundation
import StoreCore

/// A sender of a store's notifications that makes one post at a time, on the caller's thread.
///
/// It decides by the store's clock what is sent, like ``NotificationOutbox``, but sends only when it is asked to, so a
/// simulation determines the order of everything. The store's quirks have no effect on it: the simulation adds faults.
/// A wire must be used by one thread at a time.
package final class NotificationWire {
    /// A post of a notification, or an attempt at delivery without a post.
    package struct Post {
        /// The notification.
        package let notification: ServerNotification
        /// The manner of the post, as in `normal`, `twice` or `foreignRoot`.
        package let manner: String
        /// Whether the post is a forged notification, which a server must not believe.
        package let isForged: Bool
        /// Whether no attempt follows if this one fails.
        package let isLast: Bool
        /// The body; nil if the notification is lost.
        package let body: Data?
    }

    /// Sends a post, and returns its result and the HTTP status.
    package typealias Sender = (Post) throws -> (result: SendAttemptResult, status: Int?)

    private let view: ServerView
    private var machine: OutboxMachine

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - view: the store, which has to record notifications.
    ///   - delays: the seconds from each failed attempt to the next one; by default those of production.
    package init(_ view: ServerView, delays: [TimeInterval] = NotificationOutbox.productionDelays) {
        self.view = view
        machine = OutboxMachine(delays: delays)
    }

    /// Delivers the next notification to which no earlier fault applies with a fault.
    package func add(_ fault: DeliveryFault) { machine.add(DeliveryRule(fault: fault, times: 1, type: nil)) }

    /// Removes the faults that have not applied yet, and releases the notification that waits for the next one.
    package func endFaults() { machine.endRules(at: view.clock.now) }

    /// Sends everything that is due.
    ///
    /// - Returns: the date of the next delivery; nil if none is planned.
    /// - Throws: the sender's errors, and those of the store's ledger and signer.
    package func deliver(_ send: Sender) throws -> Date? {
        machine.ring()
        while true {
            switch machine.step(at: view.clock.now) {
            case .read(let position): machine.take(try view.notifications(after: position, limit: 64))
            case .deliver(let notification, let manner): try deliver(notification, manner, send)
            case .deliverAgain(let position, let manner):
                if let notification = try view.notification(at: position) {
                    try deliver(notification, manner, send)
                } else {
                    machine.forget(position)
                }
            case .wait(let date): return date
            case .idle: return nil
            }
        }
    }

    private func deliver(_ notification: ServerNotification, _ manner: DeliveryManner, _ send: Sender) throws {
        var outcome: (result: SendAttemptResult, status: Int?) = (.noResponse, nil)
        if manner.posts.isEmpty { _ = try send(post(.genuine, notification, manner, nil)) }
        var genuine: Data?
        for kind in manner.posts.joined() {
            let post: Post
            switch kind {
            case .genuine, .copy:
                let body = try genuine ?? body(notification)
                genuine = body
                post = self.post(kind, notification, manner, body)
            case .earlier:
                guard let earlier = try view.notification(before: notification.position) else { continue }
                post = try self.post(kind, earlier, manner, body(earlier))
            case .forged(let forgery):
                post = try self.post(kind, notification, manner, body(notification, forgery))
            }
            let (result, status) = try send(post)
            guard kind == .genuine else { continue }
            outcome = manner == .faulty(.slow) && status != nil ? (.timedOut, nil) : (result, status)
        }
        try view.recordAttempt(outcome.result.rawValue, at: notification.position)
        // The server may have caused a notification by a request to the API.
        machine.ring()
        machine.attempted(notification.position, outcome.result, status: outcome.status, at: view.clock.now)
    }

    private func body(_ notification: ServerNotification, _ forgery: DeliveryFault.Forgery? = nil) throws -> Data {
        try NotificationSigner(view: view, forgery: forgery).body(notification)
    }

    private func post(
        _ kind: DeliveryManner.Post,
        _ notification: ServerNotification,
        _ manner: DeliveryManner,
        _ body: Data?
    ) -> Post {
        var isForged = false
        if case .forged = kind { isForged = true }
        return Post(
            notification: notification,
            manner: manner.name(of: kind),
            isForged: isForged,
            isLast: kind == .genuine && notification.attempts.count >= machine.delays.count,
            body: body
        )
    }
}
