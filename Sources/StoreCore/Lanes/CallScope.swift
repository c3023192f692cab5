import Foundation

/// What this thread is doing in StoreCore: how deep it is in our calls, and what it has to deliver on its way out.
///
/// Inline delivery must not run an observer in the middle of a store's or a queue's work. Every call that may lead to a
/// callback opens a scope; callbacks run when the outermost scope of the thread closes.
final class CallScope {
    private var depth = 0
    private var deferred: [any InlineDrain] = []
    /// How many callbacks of observers are under way on this thread.
    private(set) var callbacks = 0

    /// Runs `body`, then, if this is the thread's outermost call, everything that was left to deliver.
    @inline(__always)
    static func outermost<R>(_ body: () throws -> R) rethrows -> R {
        let scope = current
        scope.depth += 1
        defer { scope.close() }
        return try body()
    }

    /// Drains now, or when the outermost call on this thread ends.
    static func drain(_ outbox: any InlineDrain) {
        let scope = current
        scope.deferred.append(outbox)
        if scope.depth == 0 {
            scope.depth = 1
            scope.close()
        }
    }

    /// Runs observers: within `body`, settling is a mistake that can be told.
    @inline(__always)
    static func delivering<R>(_ body: () throws -> R) rethrows -> R {
        let scope = current
        scope.callbacks += 1
        defer { scope.callbacks -= 1 }
        return try body()
    }

    private func close() {
        // What is drained may leave more to drain: the scope stays open until there is none.
        while depth == 1, !deferred.isEmpty {
            if deferred.count == 1 {
                deferred.removeLast().drainInline()
            } else {
                deferred.removeFirst().drainInline()
            }
        }
        depth -= 1
    }
}

/// Something that delivers on the thread that closes the outermost scope.
protocol InlineDrain: AnyObject {
    func drainInline()
}

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    private let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key) { pointer in
            // The parameter is optional on some platforms only.
            let pointer: UnsafeMutableRawPointer? = pointer
            pointer.map { Unmanaged<CallScope>.fromOpaque($0).release() }
        }
        guard code == 0 else { fatalError("no thread-local storage left: pthread_key_create answered \(code)") }
        return key
    }()

    extension CallScope {
        /// This thread's.
        static var current: CallScope {
            if let pointer = pthread_getspecific(key) {
                return Unmanaged<CallScope>.fromOpaque(pointer).takeUnretainedValue()
            }
            let scope = CallScope()
            pthread_setspecific(key, Unmanaged.passRetained(scope).toOpaque())
            return scope
        }
    }
#else
    extension CallScope {
        /// This thread's.
        static var current: CallScope {
            let dictionary = Thread.current.threadDictionary
            if let scope = dictionary["StoreCore.CallScope"] as? CallScope { return scope }
            let scope = CallScope()
            dictionary["StoreCore.CallScope"] = scope
            return scope
        }
    }
#endif
