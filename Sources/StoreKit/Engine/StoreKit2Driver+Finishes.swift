import StoreCore

extension StoreKit2Driver {
    /// Finishes a transaction that the queue has reported; returns nil if the queue has not reported it.
    func finishReportedTransaction(_ identifier: String, of origin: StoreOrigin) -> QueuedFinish? {
        let transaction = state.withLock { $0.machine.unfinished[identifier]?.transaction }
        guard let transaction, transaction.storeID == origin.storeID, let queue else { return nil }
        queue.finishTransaction(transaction)
        return transaction.queuedFinish
    }

    /// Finishes a transaction in the store that it was read from; returns once the finish is recorded.
    func finish(transaction identifier: String, of origin: StoreOrigin) async {
        while true {
            guard let queue else { return }
            if let finish = queue.finish(identifier: identifier, in: origin.storeID) { return await record(of: finish) }
            // Subscribes before the checks below, so that no later change is missed.
            guard var arrivals = subscribeToArrivals() else { return }
            let isReplaced = origin.storeChanges != storeChanges
            if let former = origin.former { return await record(of: former.finish(identifier: identifier)) }
            if isReplaced, !origin.isCurrent {
                return log("transaction \(identifier) is not finished: its store is no longer the context's")
            }
            switch await finishState(of: identifier, in: origin) {
            case .finished?: return
            case nil: return finishWithoutReading(identifier, of: origin)
            case .hidden?:
                guard let finish = queue.finishUnseen(identifier, in: origin.storeID) else { continue }
                return await record(of: finish)
            case .unfinished?: break
            }
            // The queue may have received the transaction during the query.
            if let finish = queue.finish(identifier: identifier, in: origin.storeID) { return await record(of: finish) }
            // An empty list reports a change of the history, perhaps a finish on another device.
            while let identifiers = await arrivals.next(isolation: nil) {
                if identifiers.isEmpty || identifiers.contains(identifier) { break }
            }
            if Task.isCancelled { return finishWithoutReading(identifier, of: origin) }
        }
    }

    /// Finishes a transaction for a canceled task: without reading the history, and without waiting for the record.
    private func finishWithoutReading(_ identifier: String, of origin: StoreOrigin) {
        if queue?.finish(identifier: identifier, in: origin.storeID) != nil { return }
        if queue?.finishUnseen(identifier, in: origin.storeID) != nil { return }
        log("transaction \(identifier) is not finished: the task was canceled, and its store is another by now")
    }

    /// Waits until a finish is in the store or the journal, or the task is canceled.
    func record(of finish: QueuedFinish) async {
        if finish.isRecorded { return }
        let reply = Reply<Bool>()
        finish.whenRecorded { reply.complete(with: $0) }
        if await value(of: reply, for: "the record of a finish", onCancel: { reply.complete(with: true) }) { return }
        log("a transaction may come again: neither the store nor the journal could be told that it is finished")
    }

    /// The state in the store of a transaction that is not in the queue.
    private enum FinishState {
        case unfinished
        case finished
        /// Not visible: the transaction belongs to another user than the current one.
        case hidden
    }

    /// Queries the store for the state of a transaction until the store responds.
    ///
    /// Returns nil if the task is canceled, or if there is no history. If the store has been replaced, the transaction
    /// counts as unfinished.
    private func finishState(of identifier: String, in origin: StoreOrigin) async -> FinishState? {
        await retryUntilSuccess {
            var query = HistoryQuery(.unfinished)
            while true {
                let page = try await page(query)
                guard page.origin.storeID == origin.storeID else { return .unfinished }
                if page.transactions.contains(where: { $0.content.transactionId == identifier }) { return .unfinished }
                guard let next = nextQuery(query, after: page) else { break }
                query = next
            }
            var single = HistoryQuery(.transactions([identifier]))
            single.includesFinishedConsumables = true
            let page = try await page(single)
            guard page.origin.storeID == origin.storeID else { return .unfinished }
            return page.transactions.isEmpty ? .hidden : .finished
        }
    }
}
