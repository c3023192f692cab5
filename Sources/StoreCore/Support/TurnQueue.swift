import Foundation

/// A queue for a resource that one thread at a time may use; requests that wait are served together in one turn.
///
/// The thread that gets a turn serves the requests of all threads that wait at that time.
@usableFromInline
package final class TurnQueue<Request, Response>: @unchecked Sendable {
    // unchecked: everything is accessed with the condition's lock held.
    // Inlinable for the case of a single thread, so that the compiler specializes it for other modules' requests.
    @usableFromInline let condition = NSCondition()
    @usableFromInline var isInUse = false
    @usableFromInline var waiting: [Call] = []

    /// A request and, once it has been served, its response.
    @usableFromInline
    final class Call {
        /// The request, until it is taken to be served; callers may rely on its release before the response is
        /// available.
        private var request: Request?
        var response: Response?
        init(_ request: Request) { self.request = request }

        func takeRequest() -> Request {
            guard let request = request.take() else { preconditionFailure("a request was served twice") }
            return request
        }
    }

    @inlinable package init() {}

    /// Runs a body in a turn of the caller's own.
    @inlinable
    package func exclusively<R, Failure>(_ body: () throws(Failure) -> R) throws(Failure) -> R {
        begin()
        defer { end() }
        return try body()
    }

    /// Serves a request in the next turn, together with all others that are waiting by then.
    ///
    /// - Parameters:
    ///   - request: the request to serve.
    ///   - serve: serves requests in their order, during a turn; returns a response to each.
    /// - Returns: the response to the request.
    @inlinable
    package func serve(_ request: Request, _ serve: ([Request]) -> [Response]) -> Response {
        guard beginsAlone() else { return serveTogether(request, serve) }
        let responses = serve([request])
        end()
        guard let response = responses.first else { preconditionFailure("a request was left without a response") }
        return response
    }

    /// Begins a turn, and returns true, if no thread has one or waits for one.
    @inlinable
    func beginsAlone() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        if isInUse || !waiting.isEmpty { return false }
        isInUse = true
        return true
    }

    /// Serves a request in a turn of this thread, unless another thread serves it in an earlier turn.
    @usableFromInline
    func serveTogether(_ request: Request, _ serve: ([Request]) -> [Response]) -> Response {
        let call = Call(request)
        condition.lock()
        waiting.append(call)
        while isInUse, call.response == nil { condition.wait() }
        if let response = call.response {
            condition.unlock()
            return response
        }
        isInUse = true
        let group = waiting
        waiting = []
        condition.unlock()
        let responses = serve(group.map { $0.takeRequest() })
        condition.lock()
        for (call, response) in zip(group, responses) { call.response = response }
        isInUse = false
        condition.broadcast()
        condition.unlock()
        guard let response = call.response else { preconditionFailure("a request was left without a response") }
        return response
    }

    /// Begins a turn of the caller's own, once the current turn has ended.
    @inlinable
    package func begin() {
        condition.lock()
        while isInUse { condition.wait() }
        isInUse = true
        condition.unlock()
    }

    /// Ends the caller's turn.
    @inlinable
    package func end() {
        condition.lock()
        isInUse = false
        condition.broadcast()
        condition.unlock()
    }
}
