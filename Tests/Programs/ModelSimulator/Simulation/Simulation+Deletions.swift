import StoreCore

// Deletions.
extension Simulation {
    func deleteTransaction(_ index: Int) {
        let known = modelDriver.model.known
        guard !known.isEmpty else { return }
        let entry = known[index % known.count]
        guard let identifier = modelDriver.model.entries[entry].identifier else { return }
        let action = { [self] in try store.deleteTransaction(identifier) }
        if modelDriver.model.entries[entry].isDeleted {
            return expectRefusal("deletes transaction \(identifier) twice", action: action)
        }
        operateDeletion({ $0.delete(entry) }, action: action)
    }

    func clearTransactions() {
        operateDeletion { [eventLog] in
            $0.deleteAll { eventLog.revocations[$0][$1]?[$2] ?? 0 }
        } action: { [self] in
            try store.clearTransactions()
        }
    }

    private func operateDeletion(_ apply: (inout Model) -> Void, action: () throws -> Void) {
        operate(apply, action: action)
        // Their results are no longer awaited.
        for entry in modelDriver.model.entries where entry.isDeleted { entry.tag.map(eventLog.payments.end) }
    }
}
