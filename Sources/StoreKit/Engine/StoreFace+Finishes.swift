import StoreCore

extension StoreFace {
    /// Finishes a transaction that the queue has told of; returns nil if it has not.
    func finishKnown(_ identifier: String, of origin: StoreOrigin) -> QueuedFinish? {
        let known = state.withLock { $0.known[identifier]?.transaction }
        guard let known, known.storeID == origin.storeID, let queue else { return nil }
        queue.finishTransaction(known)
        return known.queuedFinish
    }

    /// Finishes a transaction in the store that it came from, whichever face of the queue it came from; returns once the finish
    /// is recorded.
    func finish(transaction identifier: String, of origin: StoreOrigin) async {
        while true {
            guard let queue else { return }
            if let finish = queue.finish(identifier: identifier, in: origin.storeID) { return await record(of: finish) }
            // What happens from here on counts.
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
            // The queue has not received it yet.
            if let finish = queue.finish(identifier: identifier, in: origin.storeID) { return await record(of: finish) }
            // Another device may finish it first, which changes the history; and the store may be replaced.
            while let identifiers = await arrival.next(isolation: nil) {
                if identifiers.isEmpty || identifiers.contains(identifier) { break }
            }
            if Task.isCancelled { return finishUnread(identifier, of: origin) }
        }
    }

    /// Finishes a transaction for a task that was canceled and reads nothing: the finish goes on by itself.
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

    /// What a store shows of a transaction that the queue does not have.
    private enum Standing {
        case unfinished
        case finished
        /// It shows none: the transaction is another user's than the present one's.
        case hidden
    }

    /// Asks a store about a transaction until it answers; returns nil if the task is canceled.
    ///
    /// If the store is another by now, the transaction counts as unfinished.
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

    /// A subscription to the transactions that the queue tells of from now on, and to nothing whenever the history changes.
    private func arrival() -> Subscription<[String]>? {
        let isOver = state.withLock { $0.isOver }
        if isOver { return nil }
        followHistory()
        return subscribe(to: \.arrivals)
    }
}
