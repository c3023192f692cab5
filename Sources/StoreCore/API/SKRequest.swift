import Foundation

/// A request to the store, with a subclass for each kind.
///
/// Create a request, set its delegate, and start it. A request retains itself until it completes; it holds its delegate
/// weakly. By default the delegate is called on the main queue, and never inside ``start()`` unless delivery is inline.
///
/// Without a store, a request fails: with inline delivery at once, otherwise after one second of real time. In that
/// second, a client without a store, such as a test, can call the delegate itself.
///
/// A request belongs to the ``StoreContext`` in which it was created. It is not thread-safe, except that ``cancel()``
/// may be called on any thread.
open class SKRequest: NSObject {
    let context: StoreContext
    private let run = RequestRun()
    /// The delegate, whatever type a subclass declares for the property `delegate`.
    final weak var target: (any SKRequestDelegate)?

    /// Creates a request without a kind, for subclasses; when it is started, it finishes without calling the store.
    public override init() {
        context = InitializerHandover.take(for: type(of: self)) ?? .current
        super.init()
    }

    /// The delegate that receives the outcome of the request, held weakly.
    open var delegate: (any SKRequestDelegate)? {
        get { narrowedDelegate }
        set { narrowedDelegate = newValue }
    }

    /// Sends the request.
    ///
    /// Has no effect if the request is already running.
    open func start() {
        guard let number = run.begin() else { return }
        let handle = RequestHandle(request: self)
        let context = context
        CallScope.outermost {
            send { answer in
                let setup = context.core.setup
                let respond = { @Sendable in context.run { handle.request.answered(number, answer) } }
                // Later if there is no store, so that a client can first call its delegate itself.
                if setup.backend == nil { setup.callbacks.callLater(respond) } else { setup.callbacks.call(respond) }
            }
        }
    }

    /// Cancels the request: its delegate is not called any more, even if the store has already responded.
    open func cancel() { run.cancel() }

    // MARK: For the kinds of request

    /// Sends the request to the store.
    ///
    /// The closure must be called once, on any thread; further calls have no effect.
    func send(_ reply: @escaping @Sendable (RequestAnswer) -> Void) { reply(.done) }

    /// The delegate, as stored by `SKRequest`.
    ///
    /// A subclass whose property `delegate` has a narrower type overrides this property, to connect the two.
    var narrowedDelegate: (any SKRequestDelegate)? {
        get { target }
        set { target = newValue }
    }

    /// The delegate, read through the open property, which a client may have overridden.
    var listener: (any SKRequestDelegate)? { delegate }

    /// Calls the method of the delegate that is specific to this kind of request.
    func notify(_ listener: any SKRequestDelegate, _ answer: RequestAnswer) {}

    private func answered(_ number: Int, _ answer: RequestAnswer) {
        guard run.isRunning(number) else { return }
        if case .failed(let failure) = answer {
            run.end(number)
            listener?.request(self, didFailWithError: failure.error)
            return
        }
        if let listener { notify(listener, answer) }
        // The delegate may have canceled the request in that callback.
        guard run.end(number) else { return }
        listener?.requestDidFinish(self)
    }
}

/// The store's response to a request.
enum RequestAnswer: Sendable {
    case done
    case products(ProductsAnswer)
    case failed(StoreFailure)
}

/// The state of a request, which may be started several times: the number of the last start, and whether it is running.
private final class RequestRun: Sendable {
    private let state = Locked((number: 0, isRunning: false))

    func begin() -> Int? {
        state.withLock { state in
            guard !state.isRunning else { return nil }
            state = (state.number + 1, true)
            return state.number
        }
    }

    func isRunning(_ number: Int) -> Bool { state.withLock { $0.isRunning && $0.number == number } }

    /// Ends the run with a number; returns false if it is not running any more.
    @discardableResult
    func end(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.isRunning, state.number == number else { return false }
            state.isRunning = false
            return true
        }
    }

    func cancel() { state.withLock { $0.isRunning = false } }
}

/// A wrapper that passes a request, which is not Sendable, to the thread on which its delegate is called.
private struct RequestHandle: @unchecked Sendable {
    // unchecked: until the callback, only the request's run is accessed, which is guarded.
    let request: SKRequest
}

/// The delegate of a request; one of these methods is called, unless the request is canceled.
///
/// Both methods have default implementations, with the limitation that ``SKPaymentTransactionObserver`` describes: a
/// method that only a subclass of the conforming class implements is never called. A request holds its delegate weakly.
public protocol SKRequestDelegate: NSObjectProtocol, SendableMetatype {
    /// Reports that the request succeeded.
    ///
    /// Afterwards the request may be released. The default implementation does nothing.
    func requestDidFinish(_ request: SKRequest)

    /// Reports that the request has failed, with an ``SKError`` or a `URLError`.
    ///
    /// Afterwards the request may be released. The default implementation does nothing.
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
    /// Does nothing.
    public func requestDidFinish(_ request: SKRequest) {}

    /// Does nothing.
    public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}
