import Foundation

/// The state of a thread within StoreCore: its call depth, and the deliveries to make when the outermost call ends.
///
/// Inline delivery must not run an observer in the middle of a store's or a queue's work. Every call that may lead to a
/// callback opens a scope; callbacks run when the thread's outermost scope closes.
struct CallScope {
    private var depth = 0
    private var deferred: [any InlineDrain] = []
    /// The number of observer callbacks under way on this thread.
    private var callbacks = 0
    /// The object, such as a queue's driver, that makes the innermost callback under way.
    private var deliverer: ObjectIdentifier?
    /// Whether the innermost callback under way reports several transactions.
    private var isReportingSeveral = false
    /// The pending closures that were passed to ``inTurn(_:)``.
    ///
    /// Each runs once the thread's outermost call has ended and has made its deferred callbacks.
    private var turns = Deque<Turn>()
    /// Whether a turn is running or scheduled.
    private var areTurnsDue = false
    /// The values that convenience initializers have left for designated ones, those of the innermost initializer last.
    ///
    /// See ``InitializerHandover``.
    var handovers: [(type: AnyClass, value: any Sendable)] = []

    /// Whether this thread is in a call into StoreCore, or in a callback.
    static var isAtWork: Bool { current.pointee.callbacks > 0 || current.pointee.depth > 0 }

    /// Runs `body`, then, if this is the thread's outermost call, all deferred deliveries.
    @inline(__always)
    static func outermost<R>(_ body: () throws -> R) rethrows -> R {
        let scope = current
        scope.pointee.depth += 1
        defer { close(scope) }
        return try body()
    }

    /// Runs `body` like ``outermost(_:)``, and passes whether `deliverer` makes this thread's innermost callback.
    @inline(__always)
    static func outermost<R>(of deliverer: AnyObject, _ body: (_ isDelivering: Bool) throws -> R) rethrows -> R {
        let scope = current
        scope.pointee.depth += 1
        defer { close(scope) }
        return try body(scope.pointee.deliverer == ObjectIdentifier(deliverer))
    }

    /// Drains an outbox now, or when the outermost call on this thread ends.
    static func drain(_ outbox: any InlineDrain) {
        let scope = current
        scope.pointee.deferred.append(outbox)
        if scope.pointee.depth == 0 {
            scope.pointee.depth = 1
            close(scope)
        }
    }

    /// Runs a closure when the outermost call on this thread ends, at which point the thread holds no lock.
    static func afterwards(_ body: @escaping () -> Void) { drain(Afterwards(body)) }

    /// Runs a closure when the outermost call on this thread has ended and has made its deferred callbacks.
    ///
    /// The call may itself be made by a callback. Closures added while this one runs come after it: turns do not nest.
    static func inTurn(_ body: @escaping () -> Void) {
        let scope = current
        scope.pointee.turns.append(Turn(body))
        if scope.pointee.areTurnsDue { return }
        scope.pointee.areTurnsDue = true
        drain(Turns.shared)
    }

    private final class Turn {
        private var body: (() -> Void)?
        init(_ body: @escaping () -> Void) { self.body = body }
        func take() -> (() -> Void)? { body.take() }
    }

    private final class Turns: InlineDrain, Sendable {
        static let shared = Turns()

        func drainInline() {
            let scope = CallScope.current
            let body = scope.pointee.turns.removeFirst().take()
            body?()
            scope.pointee.areTurnsDue = !scope.pointee.turns.isEmpty
            if scope.pointee.areTurnsDue { CallScope.drain(self) }
            // Released last, since the release of its captures may defer more work.
            withExtendedLifetime(body) {}
        }
    }

    private final class Afterwards: InlineDrain {
        private let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
        func drainInline() { body() }
    }

    /// Runs `body`, which calls observers; `settle` detects and rejects calls within it.
    @inline(__always)
    static func delivering<R>(_ deliverer: AnyObject? = nil, _ body: () throws -> R) rethrows -> R {
        let scope = current
        let outer = (scope.pointee.deliverer, scope.pointee.isReportingSeveral)
        scope.pointee.callbacks += 1
        scope.pointee.deliverer = deliverer.map { ObjectIdentifier($0) }
        scope.pointee.isReportingSeveral = false
        defer {
            scope.pointee.callbacks -= 1
            (scope.pointee.deliverer, scope.pointee.isReportingSeveral) = outer
        }
        return try body()
    }

    /// Runs a callback that reports several transactions; to be called within `delivering`.
    static func reportingSeveral(_ callback: () -> Void) {
        current.pointee.isReportingSeveral = true
        callback()
        current.pointee.isReportingSeveral = false
    }

    /// Whether the innermost callback under way on this thread reports several transactions.
    static var isReportingSeveral: Bool { current.pointee.isReportingSeveral }

    private static func close(_ scope: UnsafeMutablePointer<CallScope>) {
        // A drain may defer further drains: the scope stays open until nothing is left.
        while scope.pointee.depth == 1, !scope.pointee.deferred.isEmpty {
            let isLast = scope.pointee.deferred.count == 1
            let outbox = isLast ? scope.pointee.deferred.removeLast() : scope.pointee.deferred.removeFirst()
            outbox.drainInline()
        }
        scope.pointee.depth -= 1
    }
}

/// An outbox whose items are delivered on the thread that closes the outermost scope.
protocol InlineDrain: AnyObject {
    func drainInline()
}

private let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key) { pointer in
        // The closure's parameter is optional on some platforms only; this accepts both.
        let pointer: UnsafeMutableRawPointer? = pointer
        guard let scope = pointer?.assumingMemoryBound(to: CallScope.self) else { return }
        scope.deinitialize(count: 1)
        scope.deallocate()
    }
    guard code == 0 else { fatalError("no thread-local storage left: pthread_key_create answered \(code)") }
    return key
}()

extension CallScope {
    /// This thread's scope.
    static var current: UnsafeMutablePointer<CallScope> {
        if let pointer = pthread_getspecific(key) { return pointer.assumingMemoryBound(to: CallScope.self) }
        let scope = UnsafeMutablePointer<CallScope>.allocate(capacity: 1)
        scope.initialize(to: CallScope())
        pthread_setspecific(key, scope)
        return scope
    }
}
