import Foundation
import StoreCore
import StoreServer

/// An app's server that chooses retention messages, without a network.
final class AnsweringTransport: NotificationTransport {
    typealias Answer = @Sendable (JSON) -> (SendAttemptResult, Int?, Data)

    /// A question: the payload of the request.
    struct Question: @unchecked Sendable {  // unchecked: the JSON is read only
        let payload: JSON
        let signedPayload: String
        let url: URL
        let timeout: TimeInterval
    }

    private let answer: Locked<Answer>
    private let asked = Locked<[Question]>([])
    private let held = Locked<[@Sendable () -> Void]?>(nil)

    /// Creates a server that answers with a status and a text.
    init(status: Int = 200, _ text: String = "{}") { answer = Locked(Self.answer(status, text)) }

    var questions: [Question] { asked.withLock { $0 } }

    /// Answers with a status and a text from now on.
    func answers(status: Int = 200, _ text: String) { answer.withLock { $0 = Self.answer(status, text) } }

    /// Answers as a closure says from now on.
    func answers(_ new: @escaping Answer) { answer.withLock { $0 = new } }

    /// Leaves questions without an answer until ``release()``.
    func hold() { held.withLock { $0 = [] } }

    func release() {
        while let next = held.withLock({ $0?.popLast() }) { next() }
    }

    private static func answer(_ status: Int, _ text: String) -> Answer {
        { _ in ((200...206).contains(status) ? .success : .unsuccessfulStatus, status, Data(text.utf8)) }
    }

    func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult, Int?) -> Void) {
        reply(.success, 200)
    }

    func ask(
        _ body: Data,
        at url: URL,
        timeout: TimeInterval,
        reply: @escaping @Sendable (SendAttemptResult, Int?, Data) -> Void
    ) {
        let jws = ((try? JSON(data: body)) ?? JSON(nil)).signedPayload
        let question = Question(payload: jws.payload, signedPayload: jws.text ?? "", url: url, timeout: timeout)
        asked.withLock { $0.append(question) }
        let (result, status, answer) = self.answer.withLock { $0 }(question.payload)
        let isHeld = held.withLock { held in
            held?.append { reply(result, status, answer) }
            return held != nil
        }
        if !isHeld { reply(result, status, answer) }
    }
}
