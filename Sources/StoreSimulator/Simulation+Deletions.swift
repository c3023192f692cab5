import StoreCore

// Deletions.
extension Simulation {
    func deleteTransaction(_ index: Int) {
        let known = witness.model.known
        guard !known.isEmpty else { return }
        let entry = known[index % known.count]
        guard let identifier = witness.model.entries[entry].identifier else { return }
        let act = { [self] in try store.deleteTransaction(identifier) }
        if witness.model.entries[entry].isDeleted {
            return expectRefusal("deletes transaction \(identifier) twice", act: act)
        }
        ownDeletion({ $0.delete(entry) }, act: act)
    }

    func clearTransactions() {
        ownDeletion { [diary] in
            $0.deleteAll { diary.revocations[$0][$1]?[$2] ?? 0 }
        } act: { [self] in
            try store.clearTransactions()
        }
    }

    private func ownDeletion(_ apply: (inout Model) -> Void, act: () throws -> Void) {
        own(apply, act: act)
        // Their results are no longer awaited.
        for entry in witness.model.entries where entry.isDeleted { entry.tag.map(diary.passages.end) }
    }
}
