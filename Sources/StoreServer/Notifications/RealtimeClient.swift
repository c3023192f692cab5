import Foundation
import StoreCore

/// The client of the app's server that chooses retention messages, its endpoint Get Retention Message.
package final class RealtimeClient: RetentionServer {
    private let view: ServerView
    private let transport: any NotificationTransport
    private let limit: Locked<TimeInterval>
    private let asked = Locked(Asked())

    private typealias Reply = @Sendable (SendAttemptResult, Int?, Data) -> Void

    /// The questions without an answer.
    private struct Asked {
        private var replies: [Int: Reply] = [:]
        private var count = 0
        private var isStopped = false

        /// Returns the number of a new question; nil once the client was stopped.
        mutating func add(_ reply: @escaping Reply) -> Int? {
            if isStopped { return nil }
            count += 1
            replies[count] = reply
            return count
        }

        mutating func take(_ number: Int) -> Reply? { replies.removeValue(forKey: number) }

        /// Returns the replies to all questions, oldest first.
        mutating func stop() -> [Reply] {
            isStopped = true
            defer { replies = [:] }
            return replies.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// The App Store's limit for a response, in seconds.
    package static let usualTimeout: TimeInterval = 0.7

    /// Creates a client for a store's server.
    package init(
        _ view: ServerView,
        transport: any NotificationTransport = URLSessionTransport(),
        timeout: TimeInterval = usualTimeout
    ) {
        (self.view, self.transport, limit) = (view, transport, Locked(Self.bounded(timeout)))
    }

    /// The maximum time of a response, in seconds, from a millisecond to a day.
    var timeout: TimeInterval {
        get { limit.withLock { $0 } }
        set { limit.withLock { $0 = Self.bounded(newValue) } }
    }

    /// Returns the nearest time that is valid; the shortest one for what is no number.
    private static func bounded(_ seconds: TimeInterval) -> TimeInterval {
        seconds >= 0.001 ? min(seconds, 86_400) : 0.001
    }

    /// Asks nothing from now on: each question fails, including those that wait for an answer.
    func stop() {
        for reply in asked.withLock({ $0.stop() }) { reply(.other, nil, Data()) }
    }

    /// Asks the server for a message.
    package func ask(
        _ question: RetentionQuestion,
        at url: String,
        reply: @escaping @Sendable (Result<RetentionAnswer, RetentionRefusal>) -> Void
    ) {
        let timeout = timeout
        post(question, to: url) { result, status, body in
            reply(
                Result { () throws(RetentionRefusal) in
                    switch (result, status) {
                    case (.success, _): return try RealtimeResponseBody(decoding: body).answer
                    case (.timedOut, _):
                        throw RetentionRefusal("the server did not answer within \(Int(timeout * 1000)) ms")
                    case (_, let status?): throw RetentionRefusal("the server answered with HTTP status \(status)")
                    case (_, nil): throw RetentionRefusal("the server cannot be asked: \(result.rawValue)")
                    }
                }
            )
        }
    }

    /// Posts a question, and replies with the result, the HTTP status and the body.
    func post(
        _ question: RetentionQuestion,
        to url: String,
        reply: @escaping @Sendable (SendAttemptResult, Int?, Data) -> Void
    ) {
        guard let url = URL(string: url), let body = try? body(question),
            let number = asked.withLock({ $0.add(reply) })
        else { return reply(.other, nil, Data()) }
        transport.ask(body, at: url, timeout: timeout) { result, status, body in
            // A client that was stopped meanwhile has replied already.
            guard let reply = self.asked.withLock({ $0.take(number) }) else { return }
            // A response has to have status 200, while any from 200 to 206 accepts a notification.
            reply(result == .success && status != 200 ? .unsuccessfulStatus : result, status, body)
        }
    }

    /// The content of a request.
    private struct Payload: Encodable {
        let originalTransactionId: String
        let appAppleId: Int64
        let productId: String
        let userLocale: String
        let requestIdentifier: String
        let environment: String
        let signedDate: Int64
    }

    private struct Body: Encodable {
        let signedPayload: String
    }

    /// Returns the body of a request, whose payload is signed like a notification.
    private func body(_ question: RetentionQuestion) throws -> Data {
        let payload = Payload(
            originalTransactionId: question.original,
            appAppleId: view.anyAppAppleIdentifier,
            productId: question.product,
            userLocale: question.locale,
            requestIdentifier: question.identifier.uuidString.lowercased(),
            environment: view.environment,
            signedDate: PayloadDate(view.clock.now).milliseconds
        )
        return try JSONEncoder().encode(Body(signedPayload: view.sign(payload)))
    }
}
