import Foundation

/// A request to the store; its subclasses are the kinds of request.
///
/// Create one, set its delegate, start it. A request retains itself until it completes, and holds its delegate
/// weakly. By default the delegate is called on the main queue; never inside ``start()`` unless delivery is inline.
///
/// Without a store a request fails: with inline delivery at once, otherwise after one second of real time, so that a
/// client that calls the delegate itself does so first.
///
/// A request belongs to the ``StoreContext`` in which it was created. It is not thread-safe, except that ``cancel()``
/// may be called on any thread.
open class SKRequest: NSObject {
    let context: StoreContext
    private let run = RequestRun()
    /// The storage of the delegate, whatever type a subclass declares for its property.
    final weak var target: (any SKRequestDelegate)?

    /// Creates a request of no kind, for subclasses: when started, it finishes without calling the store.
    public override init() {
        context = InitializerHandover.take(for: type(of: self)) ?? .current
        super.init()
    }

    /// The receiver of the request's outcome, held weakly.
    open var delegate: (any SKRequestDelegate)? {
        get { narrowedDelegate }
        set { narrowedDelegate = newValue }
    }

    /// Sends the request.
    ///
    /// Has no effect while it is running.
    open func start() {
        guard let number = run.begin() else { return }
        let handle = RequestHandle(request: self)
        let context = context
        CallScope.outermost {
            send { answer in
                let setup = context.core.setup
                let tell = { @Sendable in context.run { handle.request.answered(number, answer) } }
                // No store was called: a client that calls its delegate itself, after starting the request, comes first.
                if setup.backend == nil { setup.callbacks.callLater(tell) } else { setup.callbacks.call(tell) }
            }
        }
    }

    /// Cancels the request: the delegate is no longer called, even if a response is already on its way.
    open func cancel() { run.cancel() }

    // MARK: For the kinds of request

    /// Sends the request to the store.
    ///
    /// The reply may be called once, on any thread.
    func send(_ reply: @escaping @Sendable (RequestAnswer) -> Void) { reply(.done) }

    /// The bridge from `SKRequest`'s property to the one that a subclass declares with a narrower type.
    var narrowedDelegate: (any SKRequestDelegate)? {
        get { target }
        set { target = newValue }
    }

    /// The delegate as the client's property returns it, which the client may have overridden.
    var listener: (any SKRequestDelegate)? { delegate }

    /// Calls the delegate's method that is specific to this kind of request.
    func tell(_ listener: any SKRequestDelegate, _ answer: RequestAnswer) {}

    private func answered(_ number: Int, _ answer: RequestAnswer) {
        guard run.isRunning(number) else { return }
        if case .failed(let failure) = answer {
            run.end(number)
            listener?.request(self, didFailWithError: failure.error)
            return
        }
        if let listener { tell(listener, answer) }
        // The delegate may have canceled in that callback.
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

/// The running start of a request, by number.
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

    /// Ends a run; returns false if it has ended already.
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

/// A wrapper that passes a request, which is not Sendable, to the place where its delegate is called.
private struct RequestHandle: @unchecked Sendable {
    // unchecked: between start and response only the guarded run is accessed, and the delegate only in callbacks.
    let request: SKRequest
}

/// The receiver of a request's outcome, through exactly one of these methods unless the request is canceled.
///
/// Both are optional through a default, with the limit that ``SKPaymentTransactionObserver`` describes: one that only a
/// subclass of the conforming class implements is never called. A request holds its delegate weakly.
public protocol SKRequestDelegate: NSObjectProtocol, SendableMetatype {
    /// Reports that the request succeeded.
    ///
    /// The last message of a request, which may be released. Optional.
    func requestDidFinish(_ request: SKRequest)

    /// Reports that the request failed, with an ``SKError`` or a `URLError`.
    ///
    /// The last message of a request. Optional.
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
    /// Does nothing.
    public func requestDidFinish(_ request: SKRequest) {}

    /// Does nothing.
    public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}
