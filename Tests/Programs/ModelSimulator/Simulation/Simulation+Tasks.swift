import StoreCore

// What apps do by Store Kit 2.
extension Simulation {
    /// Returns what an app does in tasks, which follow the clocks from the first on.
    private func tasks(on device: Int) -> AppTasks {
        if !usesTasks {
            usesTasks = true
            for activity in [pauses.activity, clock.activity] { activity.register(taskLane) }
        }
        return apps[device].tasks
    }

    /// Whether anything listens to the queue of a device's app.
    func isFollowed(_ device: Int) -> Bool { isObserved[device] || apps[device].tasks.isInUse }

    func purchase(_ product: SimulatedOperation.Product, _ quantity: Int, on device: Int) {
        let probe = PurchaseProbe(modelDriver.newTag(), product, quantity)
        tasks(on: device).purchase(probe)
        if !probe.isRefused { addedInOperation.append((probe.tag, device)) }
    }

    func finishUnfinished(_ index: Int, on device: Int) { tasks(on: device).finishUnfinished(index) }

    func listenForUpdates(on device: Int, finishes: Bool) {
        tasks(on: device).listen(finishes: finishes, revoked: revoked(on: device))
    }

    func pauseUpdates(_ isOn: Bool, on device: Int) { apps[device].tasks.pauseUpdates(isOn) }

    func cancelTask(_ index: Int, on device: Int) { apps[device].tasks.cancel(index) }

    /// Has the listeners on devices where another user has signed in hear of what is revoked from now on.
    func forgetRevokedBeforeSigningIn() {
        for (device, account) in newUsers where modelDriver.model.devices[device].account == account {
            let listeners = apps[device].tasks.listeners.filter { !$0.isOver }
            if listeners.isEmpty { continue }
            let known = revoked(on: device)
            for listener in listeners { listener.revoked.formUnion(known) }
        }
        newUsers = [:]
    }

    /// Returns the revoked transactions of a device's user.
    func revoked(on device: Int) -> Set<String> {
        var identifiers: Set<String> = []
        let found = Locked<[String]>([])
        store.device(named: Model.deviceNames[device])?.transactions(HistoryQuery(.revoked)) { answer in
            let page = (try? answer.get())?.transactions ?? []
            found.withLock { $0 = page.map(\.payload.transactionId) }
        }
        identifiers.formUnion(found.withLock { $0 })
        return identifiers
    }
}
