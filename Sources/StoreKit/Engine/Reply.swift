import StoreCore

/// A reply to a call, which may come before the call returns or later, on any thread.
///
/// A reply that is there already costs no suspension.
final class Reply<Value: Sendable>: Sendable {
    private enum State {
        case none
        case given(Value)
        case awaited(CheckedContinuation<Value, Never>)
        case taken
    }

    private let state = Locked(State.none)

    /// Gives the value; only the first counts.
    func give(_ value: Value) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .none:
                state = .given(value)
                return nil
            case .awaited(let continuation):
                state = .taken
                return continuation
            case .given, .taken:
                return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// The value, if it has been given; it can be taken once.
    var given: Value? {
        state.withLock { state in
            guard case .given = state else { return nil }
            // Moved out: a copy would cost references to everything in it.
            var old = State.taken
            swap(&old, &state)
            guard case .given(let value) = consume old else { return nil }
            return value
        }
    }

    /// Waits for the value, which is `canceled` if the task is canceled first; to be called once.
    func value(canceled: Value) async -> Value {
        await value { [self] in give(canceled) }
    }

    /// Waits for the value; to be called once.
    ///
    /// - Parameter onCancel: called once if the task is canceled first; it should give a value.
    /// - Returns: the first value that was given.
    func value(onCancel: @escaping @Sendable () -> Void) async -> Value {
        if let given { return given }
        return await withTaskCancellationHandler {
            await nextValue()
        } onCancel: {
            onCancel()
        }
    }

    private func nextValue() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                if case .given(let value) = state {
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
