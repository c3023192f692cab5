import StoreCore

extension StoreFace {
    /// Finishes a transaction that the queue has reported; returns nil if the queue has not reported it.
    func finishKnown(_ identifier: String, of origin: StoreOrigin) -> QueuedFinish? {
        let known = state.withLock { $0.known[identifier]?.transaction }
        guard let known, known.storeID == origin.storeID, let queue else { return nil }
        queue.finishTransaction(known)
        return known.queuedFinish
    }

    /// Finishes a transaction in the store that it was read from; returns once the finish is recorded.
    func finish(transaction identifier: String, of origin: StoreOrigin) async {
        while true {
            guard let queue else { return }
            if let finish = queue.finish(identifier: identifier, in: origin.storeID) { return await record(of: finish) }
            // Subscribes before the checks below, so that no later change is missed.
            guard var arrival = arrival() else { return }
            let isLeft = origin.storeChanges != storeChanges
            if let former = origin.former { return await record(of: former.finish(identifier: identifier)) }
            if isLeft, !origin.isCurrent {
                return log("transaction \(identifier) is not finished: its store is no longer the context's")
            }
            switch await standing(of: identifier, in: origin) {
            case .finished?: return
            case nil: return finishUnread(identifier, of: origin)
            case .hidden?:
                guard let finish = queue.finishUnseen(identifier, in: origin.storeID) else { continue }
                return await record(of: finish)
            case .unfinished?: break
            }
            // The queue may have received the transaction during the query.
            if let finish = queue.finish(identifier: identifier, in: origin.storeID) { return await record(of: finish) }
            // An empty list reports a change of the history, perhaps a finish on another device.
            while let identifiers = await arrival.next(isolation: nil) {
                if identifiers.isEmpty || identifiers.contains(identifier) { break }
            }
            if Task.isCancelled { return finishUnread(identifier, of: origin) }
        }
    }

    /// Finishes a transaction for a canceled task: without reading the history, and without waiting for the record.
    private func finishUnread(_ identifier: String, of origin: StoreOrigin) {
        if queue?.finish(identifier: identifier, in: origin.storeID) != nil { return }
        if queue?.finishUnseen(identifier, in: origin.storeID) != nil { return }
        log("transaction \(identifier) is not finished: the task was canceled, and its store is another by now")
    }

    /// Waits until a finish is in the store or the journal, or the task is canceled.
    func record(of finish: QueuedFinish) async {
        if finish.isRecorded { return }
        let reply = Reply<Bool>()
        finish.whenRecorded { reply.give($0) }
        if await value(of: reply, for: "the record of a finish", onCancel: { reply.give(true) }) { return }
        log("a transaction may come again: neither the store nor the journal could be told that it is finished")
    }

    /// The state in the store of a transaction that the queue does not have.
    private enum Standing {
        case unfinished
        case finished
        /// Not visible: the transaction belongs to another user than the current one.
        case hidden
    }

    /// Queries a store about a transaction until it responds; returns nil if the task is canceled.
    ///
    /// If the store has been replaced, the transaction counts as unfinished.
    private func standing(of identifier: String, in origin: StoreOrigin) async -> Standing? {
        await untilAnswered {
            var query = HistoryQuery(.unfinished)
            while true {
                let page = try await page(query)
                guard page.origin.storeID == origin.storeID else { return .unfinished }
                if page.transactions.contains(where: { $0.content.transactionId == identifier }) { return .unfinished }
                guard let next = self.query(query, after: page) else { break }
                query = next
            }
            var single = HistoryQuery(.transactions([identifier]))
            single.includesFinishedConsumables = true
            let page = try await page(single)
            guard page.origin.storeID == origin.storeID else { return .unfinished }
            return page.transactions.isEmpty ? .hidden : .finished
        }
    }

    /// A subscription to the transactions that the queue reports from now on; an empty list reports a change of the history.
    private func arrival() -> Subscription<[String]>? {
        let isOver = state.withLock { $0.isOver }
        if isOver { return nil }
        followHistory()
        return subscribe(to: \.arrivals)
    }
}

/// A reply to a call, which may come before the call returns or later, on any thread.
///
/// A reply that has already arrived costs no suspension.
final class Reply<Value: Sendable>: Sendable {
    private enum State {
        case none
        case given(Value)
        case awaited(CheckedContinuation<Value, Never>)
        case taken
    }

    private let state = Locked(State.none)

    /// Sets the value, unless one has been set.
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

    /// The value, if it has been set; it can be taken once.
    var given: Value? {
        state.withLock { state in
            guard case .given = state else { return nil }
            // Moves the value out: a copy would retain everything in it once more.
            var old = State.taken
            swap(&old, &state)
            guard case .given(let value) = consume old else { return nil }
            return value
        }
    }

    /// Waits for the value, or returns `canceled` if the task is canceled first; call it once.
    func value(canceled: Value) async -> Value {
        await value { [self] in give(canceled) }
    }

    /// Waits for the value; call it once.
    ///
    /// - Parameter onCancel: called once if the task is canceled first; it should set a value.
    /// - Returns: the first value that was set.
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
