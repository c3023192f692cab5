import StoreCore

// Launches after crashes.
extension Simulation {
    /// Relaunches whatever crashed in the last operation, on what was kept.
    func relaunchCrashed() throws {
        guard crashInjector.hasCrashedProcess else { return }
        crashInjector.disarm()
        crashInjector.reset()
        for app in apps.indices where apps[app].process.hasCrashed {
            modelDriver.coverage.noteCrash(ofAppOn: app, modelDriver.model, eventLog.payments)
        }
        if crashInjector.store.hasCrashed {
            modelDriver.coverage.noteCrashOfStore(modelDriver.model, eventLog.payments)
        }
        for app in apps where app.process.hasCrashed { app.endpoint.close() }
        if crashInjector.store.hasCrashed { try relaunchStore() }
        for device in apps.indices where apps[device].process.hasCrashed { launch(device) }
        clock.advance(by: 0)
    }

    func relaunch(_ device: Int) {
        apps[device].process.hasCrashed = true
        apps[device].endpoint.close()
        launch(device)
    }

    private func launch(_ device: Int) {
        do { try journals[device].crash() } catch {
            eventLog.broke("the journal of device \(device) is damaged: \(error)")
        }
        eventLog.launched(device)
        endTasks(of: device)
        apps[device] = makeApp(device)
        if isObserved[device] { apps[device].observe() }
    }

    /// Ends the tasks of a launch, which would wait forever.
    private func endTasks(of device: Int) {
        guard apps[device].tasks.isInUse else { return }
        apps[device].process.hasCrashed = true
        apps[device].tasks.cancelAll()
        while taskLane.drainHere() {}
    }

    /// Removes the storage; nothing is launched again.
    func removeStorage() {
        for device in apps.indices {
            endTasks(of: device)
            // A crashed process cannot close its connection, which would keep its queue, and so the whole simulation.
            apps[device].endpoint.close()
        }
        disk.remove()
        for journal in journals { journal.remove() }
    }

    /// Crashes the store between two operations, and launches it again.
    func crashStore() throws {
        crashInjector.store.hasCrashed = true
        try relaunchStore()
        clock.advance(by: 0)
    }

    private func relaunchStore() throws {
        checkedRecords = -1
        try disk.crash()
        crashInjector.store = ProcessState()
        store = try Self.open(disk, clock, crashInjector, modelDriver)
        store.tracesDeliveries = tracesDeliveries
        modelDriver.storeIsBack(store)
        checkedPrices = nil
        for (index, name) in Model.deviceNames.enumerated() {
            guard let device = store.device(named: name) else {
                eventLog.broke("the store has lost device \(index)")
                continue
            }
            device.isReachable = modelDriver.isReachable[index]
            endpoints[index].replace(by: standIn(device))
        }
        forgetRevokedBeforeSigningIn()
    }
}
