import StoreCore

// Operations of apps.
extension Simulation {
    /// Runs the remaining work of apps' lanes, and notes what every running app has recorded by now.
    func endOperation() {
        runLanes()
        for device in apps.indices where !apps[device].process.hasCrashed { eventLog.survived(device) }
        for (tag, device) in addedInOperation where !apps[device].process.hasCrashed { eventLog.added.insert(tag) }
        addedInOperation = []
    }

    func runLanes() {
        while taskLane.drainHere() || apps.contains(where: { $0.lane?.drainHere() == true }) {}
    }

    func add(_ product: SimulatedOperation.Product, _ quantity: Int, on device: Int) {
        let payment = SKMutablePayment(productIdentifier: product.rawValue)
        payment.quantity = quantity
        let tag = modelDriver.newTag()
        payment.applicationUsername = String(tag)
        payment.simulatesAskToBuyInSandbox = product == .gift
        apps[device].queue.add(payment)
        addedInOperation.append((tag, device))
    }

    func addKept(on device: Int) {
        guard !apps[device].kept.isEmpty else { return }
        let payment = apps[device].kept.removeFirst()
        apps[device].queue.add(payment)
        if let tag = PaymentTag.number(in: payment.applicationUsername) { addedInOperation.append((tag, device)) }
    }

    func finish(_ index: Int, on device: Int) {
        let decided = apps[device].queue.transactions.filter { Model.Stage($0.transactionState).isDecided }
        guard !decided.isEmpty else { return }
        let transaction = decided[index % decided.count]
        let name = eventLog.name(transaction)
        eventLog.finishes(name, on: device)
        if let identifier = transaction.storeIdentifier { eventLog.finishes(identifier: identifier, on: device) }
        apps[device].queue.finishTransaction(transaction)
    }

    func restore(on device: Int) {
        eventLog.restoreBegan(on: device, isObserved: isObserved[device])
        apps[device].queue.restoreCompletedTransactions()
    }

    func setObserved(_ isObserved: Bool, on device: Int) {
        guard self.isObserved[device] != isObserved else { return }
        self.isObserved[device] = isObserved
        if isObserved {
            apps[device].observe()
        } else {
            apps[device].queue.remove(apps[device])
            eventLog.observerLeft(device)
        }
    }
}
