import StoreCore

extension StoreKit2Driver {
    /// Subscribes to updates, beginning with the unfinished transactions that no purchase has returned.
    func subscribeToUpdates() -> UpdateSubscription {
        let queued = queue?.transactions ?? []
        finishHeld(queued)
        let (number, signals) = signals(
            subscribe: { $0.subscribeToUpdates($1, queued: queued) },
            unsubscribe: { driver, number in driver.state.withLock { $0.machine.updates.remove(number) } }
        )
        if number != nil { readHistory() }
        return UpdateSubscription(number: number ?? 0, signals: signals)
    }

    /// Finishes an earlier launch's transactions that only report a product already held, which Store Kit 2 does not
    /// show.
    ///
    /// If there is a Store Kit 1 observer, the transactions are left to it: another app of the device may have caused
    /// them.
    private func finishHeld(_ queued: [SKPaymentTransaction]) {
        guard queue?.transactionObservers.isEmpty == true else { return }
        for transaction in queued
        where transaction.isHeld && transaction.isOrderedByStoreKit2 && !transaction.isFinished
            && !state.withLock({ $0.machine.purchases[transaction.orderNumber] != nil })
        {
            queue?.finishTransaction(transaction)
        }
    }

    /// Reads the transactions that a subscriber has taken; returns nil if the store did not respond.
    ///
    /// Retries until the store responds, the task is canceled, or the store is replaced: another store's transactions
    /// may have the same identifiers.
    func readUpdates(_ identifiers: [String], of number: Int) async -> OriginalPage? {
        let changes = storeChanges
        let read = await retryUntilSuccess { () -> OriginalPage? in
            storeChanges == changes ? try await page(HistoryQuery(.transactions(identifiers))) : nil
        }
        state.withLock { $0.machine.updatesRead(identifiers, of: number, read??.transactions) }
        guard let read = read ?? nil else { return nil }
        return await withQuirksOfLaunch(read)
    }
}

/// One subscriber's position among the updates.
struct UpdateSubscription {
    let number: Int
    fileprivate var signals: AsyncStream<Void>.Iterator

    /// Returns the identifiers that come next, at least one; nil at the end.
    mutating func next(of driver: StoreKit2Driver, isolation actor: isolated (any Actor)?) async -> [String]? {
        while true {
            let identifiers = driver.state.withLock { $0.machine.updates.take(of: number) }
            if !identifiers.isEmpty { return identifiers }
            guard await signals.next(isolation: actor) != nil else { return nil }
        }
    }
}
