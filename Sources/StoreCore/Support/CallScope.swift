import Foundation

/// The state of a thread within StoreCore: its call depth, and the deliveries to make on its way out.
///
/// Inline delivery must not run an observer in the middle of a store's or a queue's work. Every call that may lead to a
/// callback opens a scope; callbacks run when the thread's outermost scope closes.
struct CallScope {
    private var depth = 0
    private var deferred: [any InlineDrain] = []
    /// The number of observer callbacks under way on this thread.
    private var callbacks = 0
    /// The deliverer of the innermost callback under way.
    private var deliverer: ObjectIdentifier?
    /// Whether the innermost callback under way reports several transactions.
    private var isTellingOfSeveral = false
    /// The closures passed to ``inTurn(_:)`` that wait.
    ///
    /// Each runs once the thread's outermost call has ended and has made the callbacks that it deferred.
    private var turns = Deque<Turn>()
    /// Whether a turn is under way or due.
    private var areTurnsDue = false
    /// Values on their way between initializers, see ``InitializerHandover``, innermost last.
    var handovers: [(type: AnyClass, value: any Sendable)] = []

    /// Whether this thread is in one of our calls, or in a callback.
    static var isAtWork: Bool { current.pointee.callbacks > 0 || current.pointee.depth > 0 }

    /// Runs `body`, then, if this is the thread's outermost call, all deferred deliveries.
    @inline(__always)
    static func outermost<R>(_ body: () throws -> R) rethrows -> R {
        let scope = current
        scope.pointee.depth += 1
        defer { close(scope) }
        return try body()
    }

    /// Runs `body` in the same way, and passes it whether the innermost callback under way on this thread is the
    /// deliverer's.
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

    /// Runs a closure when the outermost call on this thread ends, where it holds no lock.
    static func afterwards(_ body: @escaping () -> Void) { drain(Afterwards(body)) }

    /// Runs a closure when the outermost call on this thread ends and has made the callbacks deferred by then.
    ///
    /// The call may be one that a callback makes. Closures added meanwhile run after it: turns do not nest.
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
            // Released last, since its captures may defer more.
            withExtendedLifetime(body) {}
        }
    }

    private final class Afterwards: InlineDrain {
        private let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
        func drainInline() { body() }
    }

    /// Runs observers: within `body`, settling is an error that can be detected.
    @inline(__always)
    static func delivering<R>(_ deliverer: AnyObject? = nil, _ body: () throws -> R) rethrows -> R {
        let scope = current
        let outer = (scope.pointee.deliverer, scope.pointee.isTellingOfSeveral)
        scope.pointee.callbacks += 1
        scope.pointee.deliverer = deliverer.map { ObjectIdentifier($0) }
        scope.pointee.isTellingOfSeveral = false
        defer {
            scope.pointee.callbacks -= 1
            (scope.pointee.deliverer, scope.pointee.isTellingOfSeveral) = outer
        }
        return try body()
    }

    /// Runs one of the callbacks within `delivering`, one that reports several transactions.
    static func tellingOfSeveral(_ callback: () -> Void) {
        current.pointee.isTellingOfSeveral = true
        callback()
        current.pointee.isTellingOfSeveral = false
    }

    /// Whether the innermost callback under way on this thread reports several transactions.
    static var isTellingOfSeveral: Bool { current.pointee.isTellingOfSeveral }

    private static func close(_ scope: UnsafeMutablePointer<CallScope>) {
        // A drain may defer more: the scope stays open until nothing is left.
        while scope.pointee.depth == 1, !scope.pointee.deferred.isEmpty {
            let isLast = scope.pointee.deferred.count == 1
            let outbox = isLast ? scope.pointee.deferred.removeLast() : scope.pointee.deferred.removeFirst()
            outbox.drainInline()
        }
        scope.pointee.depth -= 1
    }
}

/// An outbox that delivers on the thread that closes the outermost scope.
protocol InlineDrain: AnyObject {
    func drainInline()
}

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    private let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key) { pointer in
            // The parameter is optional on some platforms only.
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
#else
    private final class ScopeBox {
        let scope = UnsafeMutablePointer<CallScope>.allocate(capacity: 1)
        init() { scope.initialize(to: CallScope()) }
        deinit {
            scope.deinitialize(count: 1)
            scope.deallocate()
        }
    }

    extension CallScope {
        /// This thread's scope.
        static var current: UnsafeMutablePointer<CallScope> {
            let dictionary = Thread.current.threadDictionary
            if let box = dictionary["StoreCore.CallScope"] as? ScopeBox { return box.scope }
            let box = ScopeBox()
            dictionary["StoreCore.CallScope"] = box
            return box.scope
        }
    }
#endif
