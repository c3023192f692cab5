import StoreCore

/// A reply to a call, which may come before the call returns or later, on any thread.
///
/// A reply that has already arrived costs no suspension.
final class Reply<Value: Sendable>: Sendable {
    private enum State {
        case none
        case completed(Value)
        case awaited(CheckedContinuation<Value, Never>)
        case taken
    }

    private let state = Locked(State.none)

    /// Sets the value, unless one has been set.
    func complete(with value: Value) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .none: state = .completed(value)
            case .awaited(let continuation):
                state = .taken
                return continuation
            case .completed, .taken: break
            }
            return nil
        }
        waiting?.resume(returning: value)
    }

    /// Returns the value, if it has been set; it can be taken once.
    func takeValue() -> Value? {
        state.withLock { state in
            guard case .completed = state else { return nil }
            // Moves the value out: a copy would retain everything in it once more.
            var old = State.taken
            swap(&old, &state)
            guard case .completed(let value) = consume old else { return nil }
            return value
        }
    }

    /// Waits for the value, or returns `canceled` if the task is canceled first; call it once.
    func value(canceled: Value) async -> Value { await value { [self] in complete(with: canceled) } }

    /// Waits for the value; call it once.
    ///
    /// - Parameter onCancel: called once if the task is canceled first; it should set a value.
    /// - Returns: the first value that was set.
    func value(onCancel: @escaping @Sendable () -> Void) async -> Value {
        if let value = takeValue() { return value }
        return await withTaskCancellationHandler {
            await nextValue()
        } onCancel: {
            onCancel()
        }
    }

    private func nextValue() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                if case .completed(let value) = state {
                    state = .taken
                    return value
                }
                state = .awaited(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
