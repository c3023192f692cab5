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
    /// Creates a session without cookies, caches, credentials and timeouts, which calls its delegate without a thread hop.
    ///
    /// On Linux, the delegate is called on the session's own queue: it must not block, nor call what waits for that queue,
    /// such as a task's `cancel()` or `resume()`.
    package convenience init(notifyingAtOnce delegate: any URLSessionDataDelegate) {
        #if canImport(FoundationNetworking)
            self.init(configuration: .forgetful, delegate: delegate, delegateQueue: CallbackQueue())
        #else
            self.init(configuration: .forgetful, delegate: delegate, delegateQueue: nil)
        #endif
    }
}

extension URLSessionConfiguration {
    /// A configuration that keeps nothing between requests, and has no timeout.
    fileprivate static var forgetful: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        // Otherwise, Foundation on Linux looks for cookies in each line of each answer's head.
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        // Nothing answers a challenge: Foundation would cancel or resume the task in a callback, on the very queue that this
        // waits for.
        configuration.urlCredentialStorage = nil
        // Foundation's own timeout counts differently on some systems, and not at all before an answer begins: it is out of
        // the way.
        configuration.timeoutIntervalForRequest = configuration.timeoutIntervalForResource
        return configuration
    }
}
