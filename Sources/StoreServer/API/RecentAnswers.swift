import Foundation
import StoreCore

/// The answers about transactions that were given at a store's present moment, where clients ask the same again and again.
///
/// At ``limit`` answers all are dropped, and at the next ``ServerMoment``.
final class RecentAnswers: Sendable {
    /// What an answer depends on, besides the moment.
    struct Question: Hashable, Sendable {
        let route: Route
        let query: [HTTPRequest.QueryItem]
    }

    private struct Memory: Sendable {
        var moment: ServerMoment?
        var answers: [Question: HTTPResponse] = [:]
    }

    private static var limit: Int { 64 }
    private let memory = Locked(Memory())

    /// Returns the answer to a question, which is made if it is not known.
    func answer(
        to question: Question,
        of view: ServerView,
        make: () throws -> HTTPResponse
    ) rethrows -> HTTPResponse {
        guard let moment = view.moment else { return try make() }
        let known = memory.withLock { $0.moment == moment ? $0.answers[question] : nil }
        if let known { return known }
        let answer = try make()
        // An answer that was made while the store changed belongs to neither moment.
        guard view.moment == moment else { return answer }
        memory.withLock { memory in
            if memory.moment != moment || memory.answers.count >= Self.limit { memory = Memory(moment: moment) }
            memory.answers[question] = answer
        }
        return answer
    }
}
