import Foundation
import StoreCore

/// A cache of responses about transactions, for clients that repeat a request while the store is unchanged.
///
/// All responses are dropped when their number reaches ``limit``, or when the store's ``ServerMoment`` changes.
final class RecentAnswers: Sendable {
    /// The request to which a response belongs.
    ///
    /// The response also depends on the store's moment.
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

    /// Returns the cached response to a request, or creates and caches one.
    func answer(to question: Question, of view: ServerView, make: () throws -> HTTPResponse) rethrows -> HTTPResponse {
        guard let moment = view.moment else { return try make() }
        let known = memory.withLock { $0.moment == moment ? $0.answers[question] : nil }
        if let known { return known }
        let answer = try make()
        // A response that was created while the store changed may mix two moments, so it is not cached.
        guard view.moment == moment else { return answer }
        memory.withLock { memory in
            if memory.moment != moment || memory.answers.count >= Self.limit { memory = Memory(moment: moment) }
            memory.answers[question] = answer
        }
        return answer
    }
}
