import StoreCore

// What apps do.
extension World {
    func add(_ product: Step.Product, _ quantity: Int, on device: Int) {
        let payment = SKMutablePayment(productIdentifier: product.rawValue)
        payment.quantity = quantity
        let tag = witness.newTag()
        payment.applicationUsername = String(tag)
        payment.simulatesAskToBuyInSandbox = product == .gift
        apps[device].queue.add(payment)
        if !apps[device].pulse.isDead { diary.added.insert(tag) }
    }

    func addKept(on device: Int) {
        guard !apps[device].kept.isEmpty else { return }
        let payment = apps[device].kept.removeFirst()
        apps[device].queue.add(payment)
        if let tag = payment.applicationUsername.flatMap({ Int($0) }), !apps[device].pulse.isDead {
            diary.added.insert(tag)
        }
    }

    func finish(_ index: Int, on device: Int) {
        let decided = apps[device].queue.transactions.filter { Model.Stage($0.transactionState).isDecided }
        guard !decided.isEmpty else { return }
        let transaction = decided[index % decided.count]
        let name = diary.name(transaction)
        apps[device].queue.finishTransaction(transaction)
        if !apps[device].pulse.isDead { diary.finished(name, on: device) }
    }

    func restore(on device: Int) {
        diary.restoreBegan(on: device, isObserved: isObserved[device])
        apps[device].queue.restoreCompletedTransactions()
    }

    func setObserved(_ isObserved: Bool, on device: Int) {
        guard self.isObserved[device] != isObserved else { return }
        self.isObserved[device] = isObserved
        if isObserved {
            apps[device].observe()
        } else {
            apps[device].queue.remove(apps[device])
            diary.observerLeft(device)
        }
    }
}
