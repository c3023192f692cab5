import StoreCore

// Launches after crashes.
extension Simulation {
    /// Relaunches whatever crashed in the last operation, on what was kept.
    func raiseTheDead() throws {
        guard lifeline.hasKilled else { return }
        lifeline.disarm()
        lifeline.bury()
        for app in apps.indices where apps[app].pulse.isDead {
            witness.coverage.noteDeath(ofAppOn: app, witness.model, diary.passages)
        }
        if lifeline.store.isDead { witness.coverage.noteDeathOfStore(witness.model, diary.passages) }
        for app in apps where app.pulse.isDead { app.gate.close() }
        if lifeline.store.isDead { try relaunchStore() }
        for device in apps.indices where apps[device].pulse.isDead { launch(device) }
        clock.advance(by: 0)
    }

    func relaunch(_ device: Int) {
        apps[device].pulse.isDead = true
        apps[device].gate.close()
        launch(device)
    }

    private func launch(_ device: Int) {
        do { try journals[device].crash() } catch { diary.broke("the journal of device \(device) is spoilt: \(error)") }
        diary.launched(device)
        apps[device] = makeApp(device)
        if isObserved[device] { apps[device].observe() }
    }

    /// Removes the storage; nothing is launched again.
    func removeStorage() {
        disk.remove()
        for journal in journals { journal.remove() }
    }

    /// Crashes the store between two operations, and launches it again.
    func killStore() throws {
        lifeline.store.isDead = true
        try relaunchStore()
        clock.advance(by: 0)
    }

    private func relaunchStore() throws {
        checkedRecords = -1
        try disk.crash()
        lifeline.store = ProcessState()
        store = try Self.open(disk, clock, lifeline, witness)
        witness.storeIsBack(store)
        checkedPrices = nil
        for (index, name) in Self.deviceNames.enumerated() {
            guard let device = store.device(named: name) else {
                diary.broke("the store has lost device \(index)")
                continue
            }
            device.isReachable = witness.isReachable[index]
            gates[index].replace(by: standIn(device))
        }
    }
}
