import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking

    /// A queue that runs a URL session's callbacks synchronously on the session's own queue.
    ///
    /// Foundation on Linux has four callbacks for a request that is answered. As operations, they cost as much as a fifth of
    /// the request, threads are woken for them, and while no thread is free, all that arrives waits in memory.
    private final class CallbackQueue: OperationQueue, @unchecked Sendable {  // unchecked: nothing of its own changes
        override init() {
            super.init()
            maxConcurrentOperationCount = 1
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    }
#endif

extension URLSession {
    /// Creates a session that calls its delegate without a thread hop.
    ///
    /// On Linux, the delegate is called on the session's own queue: it must not block, nor call what waits for that queue,
    /// such as a task's `cancel()` or `resume()`.
    package convenience init(
        configuration: URLSessionConfiguration,
        notifyingAtOnce delegate: any URLSessionDataDelegate
    ) {
        #if canImport(FoundationNetworking)
            self.init(configuration: configuration, delegate: delegate, delegateQueue: CallbackQueue())
        #else
            self.init(configuration: configuration, delegate: delegate, delegateQueue: nil)
        #endif
    }
}
