import Foundation

/// What asks the store a question; its subclasses are the kinds of question.
///
/// Make one, set its delegate, start it. A request keeps itself alive until it has answered, and its delegate is not kept
/// alive. By default the delegate is called on the main queue; never inside ``start()`` unless delivery is inline.
///
/// Without a store a request fails, after what the caller of ``start()`` does in the same turn of the queue that delivers.
///
/// A request belongs to the ``StoreContext`` in which it was made. It is not meant for several threads at once, but
/// ``cancel()`` may be called on any.
open class SKRequest: NSObject {
    let context: StoreContext
    private let run = RequestRun()
    /// Where the delegate is kept, whatever type a subclass gives its property.
    final weak var target: (any SKRequestDelegate)?

    /// Makes a request of no kind, for subclasses: started, it finishes and asks nothing.
    public override init() {
        context = InitializerHandover.take(for: type(of: self)) ?? .current
        super.init()
    }

    /// Hears how the request ends.
    ///
    /// Not kept alive.
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
                // Nobody had to be asked: a client that calls its delegate itself, after starting the request, comes first.
                if setup.backend == nil { setup.callbacks.callLater(tell) } else { setup.callbacks.call(tell) }
            }
        }
    }

    /// Calls the request off: the delegate hears nothing any more, not even an answer that is already on its way.
    open func cancel() { run.cancel() }

    // MARK: For the kinds of request

    /// Asks the store.
    ///
    /// The reply may be called once, on any thread.
    func send(_ reply: @escaping @Sendable (RequestAnswer) -> Void) { reply(.done) }

    /// Leads from `SKRequest`'s property to the one that a subclass declares with a narrower type.
    var narrowedDelegate: (any SKRequestDelegate)? {
        get { target }
        set { target = newValue }
    }

    /// What the property says that the client sees, and may have overridden.
    var listener: (any SKRequestDelegate)? { delegate }

    /// Tells the delegate what is special to this kind of request.
    func tell(_ listener: any SKRequestDelegate, _ answer: RequestAnswer) {}

    private func answered(_ number: Int, _ answer: RequestAnswer) {
        guard run.isRunning(number) else { return }
        if case .failed(let failure) = answer {
            run.end(number)
            listener?.request(self, didFailWithError: failure.error)
            return
        }
        if let listener { tell(listener, answer) }
        // The delegate may have cancelled on being told.
        guard run.end(number) else { return }
        listener?.requestDidFinish(self)
    }
}

/// What a store says to a request.
enum RequestAnswer: Sendable {
    case done
    case products(ProductsAnswer)
    case failed(StoreFailure)
}

/// Which start of a request is running.
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

    /// False if it has ended before.
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

/// Carries a request, which is not Sendable, to where its delegate is called.
private struct RequestHandle: @unchecked Sendable {
    // unchecked: between start and answer nothing but the guarded run is touched, and the delegate only in callbacks.
    let request: SKRequest
}
