import Foundation
import StoreCore
import StoreServer

/// A transport that answers as it is told, and remembers what it was given.
final class ScriptedTransport: NotificationTransport {
    private struct State {
        var results: [SendAttemptResult]
        var posts: [Post] = []
        var holds = false
        var repeatsReplies = false
        var held: [@Sendable (SendAttemptResult, Int?) -> Void] = []
        var failureStatus = 500
    }

    struct Post {
        let body: Data
        let url: URL
        let date: Date

        var signedPayload: String? { ((try? JSON(data: body)) ?? JSON(nil)).signedPayload.text }

        var payload: JSON { ((try? JSON(data: body)) ?? JSON(nil)).signedPayload.payload }
    }

    private let clock: any StoreClock
    private let state: Locked<State>
    private let posted = DispatchSemaphore(value: 0)

    /// The types of the notifications, with the transactions that they are about.
    var words: [String] {
        posts.map { post in
            let transaction = post.payload.data.signedTransactionInfo.payload.transactionId.text
            return [post.payload.notificationType.text, transaction].compactMap { $0 }.joined(separator: " ")
        }
    }

    /// Creates a transport with the results of the first posts; all others succeed.
    init(_ clock: any StoreClock, _ results: [SendAttemptResult] = []) {
        self.clock = clock
        state = Locked(State(results: results))
    }

    /// Whether posts are left without a reply, as where the process ends before it.
    var holds: Bool {
        get { state.withLock { $0.holds } }
        set { state.withLock { $0.holds = newValue } }
    }

    /// Whether each reply is given twice, which a transport must not do.
    var repeatsReplies: Bool {
        get { state.withLock { $0.repeatsReplies } }
        set { state.withLock { $0.repeatsReplies = newValue } }
    }

    /// The HTTP status of responses with a status that is no success.
    var failureStatus: Int {
        get { state.withLock { $0.failureStatus } }
        set { state.withLock { $0.failureStatus = newValue } }
    }

    private func status(_ result: SendAttemptResult) -> Int? {
        switch result {
        case .success: 200
        case .unsuccessfulStatus: failureStatus
        default: nil
        }
    }

    var posts: [Post] { state.withLock { $0.posts } }

    var types: [String?] { posts.map(\.payload.notificationType.text) }

    func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult, Int?) -> Void) {
        let post = Post(body: body, url: url, date: clock.now)
        let result = state.withLock { state -> SendAttemptResult? in
            state.posts.append(post)
            if state.holds {
                state.held.append(reply)
                return nil
            }
            return state.results.isEmpty ? .success : state.results.removeFirst()
        }
        posted.signal()
        guard let result else { return }
        for _ in 0..<(repeatsReplies ? 2 : 1) { reply(result, status(result)) }
    }

    /// Waits for a post that nobody has waited for.
    func waitForPost() throws { guard posted.wait(timeout: .now() + 60) == .success else { throw NoPost() } }

    private struct NoPost: Error {}

    func release(_ result: SendAttemptResult) {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for reply in held { reply(result, status(result)) }
    }
}
