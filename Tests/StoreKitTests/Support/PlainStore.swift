import StoreCore

/// A store that offers the sale alone.
final class PlainStore: StoreBackend {
    private let store: SandboxStore

    init(_ store: SandboxStore) { self.store = store }

    var clock: any StoreClock { store.clock }
    var services: StoreServices { StoreServices() }
    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        store.submit(commands, reply: reply)
    }
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        store.connect(receiver, after: cursor)
    }
    func disconnect(_ receiver: any StoreUpdateReceiver) { store.disconnect(receiver) }
    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) { store.products(identifiers, reply: reply) }
}
