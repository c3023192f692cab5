/// In the place of a journal that could not be opened: keeps nothing, and says so.
final class UnreadableJournal: QueueJournal {
    let error: StoreFailure
    init(error: StoreFailure) { self.error = error }
    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents { throw error }
    func record(_ commands: [StoreCommand]) throws { throw error }
    func forget(_ commands: [OrderID]) throws {}
}
