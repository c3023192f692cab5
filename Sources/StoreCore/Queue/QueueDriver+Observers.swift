// MARK: - Into the observer lane

extension QueueDriver {
    /// Converts the machine's actions for observers to notices with the observers' objects.
    func noteObserverActions(_ state: inout State) {
        state.work &+= 1
        // Reversed, so that each action can be moved out at the end rather than copied.
        state.actions.observers.reverseInPlace()
        if !state.finishWaits.isEmpty { state.endWaits() }
        while let action = state.actions.observers.popLast() {
            // A retired driver has no observers; a transaction created now would keep the driver alive forever.
            if !state.isRetired { note(action, &state) }
        }
        if state.actions.observers.capacity > 4096 { state.actions.observers = [] }
    }

    // Without a case for all other actions, which would count the objects of each action once more.
    @inline(__always)
    private func note(_ action: consuming QueueMachine.ObserverAction, _ state: inout State) {
        switch consume action {
        case .show(let number, let payment):
            let transaction = delegate.makeTransaction(number, payment, in: self)
            state.table.insert(transaction, at: number)
            notify(.shown(transaction), &state)
        case .change(let number, let value):
            guard let transaction = state.table[number] else { return }
            if state.machine.isObserved {
                state.notices.append(.changed(transaction, value))
            } else {
                delegate.apply(value, to: transaction)
            }
        case .withdraw(let number):
            if state.table.look(number, { delegate.markFinished($0) }) != nil { endDownloads(number, &state) }
        case .remove(let number):
            guard let transaction = state.table.remove(number) else { return }
            // A transaction that the store itself removed was not withdrawn before, so its downloads end here.
            // The downloads of a transaction that the app has finished ended at that time.
            if delegate.markRemoved(transaction) { endDownloads(number, &state) }
            notify(.removed(transaction), &state)
        case .bring(let number, let value):
            let transaction = delegate.makeTransaction(number, value, in: self)
            state.table.insert(transaction, at: number)
            notify(.shown(transaction), &state)
        case .again(let number):
            if let transaction = state.table[number] { notify(.again(transaction), &state) }
        case .restoreEnded(let failure): notify(.restoreEnded(failure), &state)
        case .mayContinue(let number, let identifier, let storefront):
            guard let transaction = state.table[number] else { return }
            notify(.mayContinue(transaction, identifier: identifier, storefront), &state)
        case .storefrontChanged: notify(.storefrontChanged, &state)
        case .priceConsent: notify(.priceConsent, &state)
        case .revoked(let identifiers): notify(.revoked(identifiers), &state)
        case .promoted(let payment, let product): notify(.promoted(payment, product), &state)
        case .delivered(let cursor): notify(.delivered(cursor), &state)
        case .download(let number, let report):
            guard let download = downloadEngine.load()?.object(number) else { return }
            notify(download, report, &state)
        }
    }

    @inline(__always)
    private func endDownloads(_ number: Int, _ state: inout State) {
        guard let downloadEngine = downloadEngine.load() else { return }
        for (download, report) in downloadEngine.end(number) { notify(download, report, &state) }
    }

    @inline(__always)
    private func notify(_ notice: consuming Notice, _ state: inout State) {
        if state.machine.isObserved { state.notices.append(notice) }
    }

    private func notify(_ download: AnyObject, _ report: DownloadReport, _ state: inout State) {
        if state.machine.isObserved {
            state.notices.append(.download(download, report))
        } else {
            delegate.apply(report, toDownload: download)
        }
    }
}

// MARK: - Out of the observer lane

extension QueueDriver: InlineDrain {
    func drainInline() {
        CallScope.delivering(self) { delegate.deliver(self) }
        sendUnsent(inCallback: false)
        ringIfQuiet()
    }

    /// Takes the first batch of a drain of notices.
    ///
    /// Returns false if another thread has taken it already.
    func begin(_ batch: inout NoticeBatch) -> Bool {
        let isThere = state.withLock { state in
            batch.epoch = currentEpoch
            return state.notices.begin(&batch.notices)
        }
        batch.notices.reverseInPlace()
        return isThere
    }

    /// Replaces a processed batch by the next one.
    ///
    /// Returns false if there is no next batch. If delivery has turns, always returns false, and schedules pending
    /// notices for a later turn.
    func take(_ batch: inout NoticeBatch) -> Bool {
        guard !delivery.hasTurns else {
            if state.withLock({ $0.notices.endEarly(&batch.notices) }) { delivery.schedule(self, log) }
            return false
        }
        let isThere = state.withLock { state in
            batch.epoch = currentEpoch
            return state.notices.take(&batch.notices)
        }
        batch.notices.reverseInPlace()
        return isThere
    }

    func acknowledge(through cursor: UpdateCursor) { backend.acknowledge(through: cursor) }

    /// Makes the store repeat undelivered updates for the next observer.
    func askAgain() { state.withLock { $0.machine.forgetCursor() } }
}
