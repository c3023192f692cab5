/// A placeholder for a journal that could not be opened: records nothing, and throws the error.
final class UnreadableJournal: QueueJournal {
    let error: StoreFailure
    init(error: StoreFailure) { self.error = error }
    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents { throw error }
    func record(_ commands: [StoreCommand]) throws { throw error }
    func forget(_ commands: [OrderID]) throws {}
}
