import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if canImport(FoundationNetworking)
    /// A queue that runs a URL session's callbacks without an operation for each.
    ///
    /// Foundation on Linux has four callbacks for a request that is answered. As operations, they cost as much as a fifth of
    /// the request, and threads are woken for them.
    final class CallbackQueue: OperationQueue, @unchecked Sendable {  // unchecked: nothing of its own changes
        private let queue: DispatchQueue?

        /// Creates a queue.
        ///
        /// - Parameter queue: a serial queue for the callbacks; nil to run them synchronously on the session's queue. Then
        ///   they must not block, nor call what waits for that queue, such as a task's `cancel()`.
        init(on queue: DispatchQueue?) {
            self.queue = queue
            super.init()
            maxConcurrentOperationCount = 1
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            if let queue { queue.async(execute: block) } else { block() }
        }
    }
#endif

extension URLSession {
    /// Creates a session for a delegate that neither blocks nor waits for the session.
    convenience init(notifyingAtOnce delegate: any URLSessionDataDelegate) {
        #if canImport(FoundationNetworking)
            self.init(configuration: .remote, delegate: delegate, delegateQueue: CallbackQueue(on: nil))
        #else
            self.init(configuration: .remote, delegate: delegate, delegateQueue: nil)
        #endif
    }

    /// Creates a session for a delegate that may block: it is called on a queue of its own.
    convenience init(notifying delegate: any URLSessionDataDelegate) {
        #if canImport(FoundationNetworking)
            let queue = CallbackQueue(on: DispatchQueue(label: "StoreRemote.updates"))
            self.init(configuration: .remote, delegate: delegate, delegateQueue: queue)
        #else
            self.init(configuration: .remote, delegate: delegate, delegateQueue: nil)
        #endif
    }
}
