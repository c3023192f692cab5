import Foundation

/// An adapter from an asynchronous store to ``StoreBackend``: a task for each call, and one for each connection.
final class AsyncBackendAdapter: StoreBackend {
    private let store: any AsyncStoreBackend
    let services: StoreServices
    private let connections = Locked<[ObjectIdentifier: Task<Void, Never>]>([:])

    init(_ store: any AsyncStoreBackend) {
        self.store = store
        services = StoreServices(implementedBy: store)
    }

    deinit { for task in connections.withLock({ $0 }).values { task.cancel() } }

    var clock: any StoreClock { store.clock }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        run { store in
            do {
                try await store.submit(commands)
                reply(.taken)
            } catch let error as RefusedCommandsError {
                reply(.refused(error.commands))
            } catch {
                reply(.tryLater(StoreFailure(error)))
            }
        }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        // A snapshot is sure to come, so settling waits for it; whether anything comes after a cursor only the store
        // knows.
        let once = EndOnce(cursor == nil ? store.clock.activity.begin() : nil)
        // Begun with the lock held: one that ends at once would else be noted behind the connection that takes its place, and
        // end that one.
        let previous = connections.withLock { connections in
            let task = Task { [store] in
                let failure: StoreFailure
                do {
                    try await store.sendUpdates(after: cursor, to: UpdateFeed(SnapshotWatch(receiver, once)))
                    failure = .network(.networkConnectionLost, "the store has ended the connection")
                } catch {
                    failure = StoreFailure(error)
                }
                if !Task.isCancelled { receiver.connectionLost(failure) }
                once.end()
            }
            return connections.updateValue(task, forKey: ObjectIdentifier(receiver))
        }
        previous?.cancel()
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        connections.withLock { $0.removeValue(forKey: ObjectIdentifier(receiver)) }?.cancel()
    }

    func acknowledge(through cursor: UpdateCursor) { run { await $0.acknowledge(through: cursor) } }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        run { store in
            do {
                reply(.success(try await store.products(identifiers)))
            } catch {
                reply(.failure(StoreFailure(error)))
            }
        }
    }

    private func run(_ body: @escaping @Sendable (any AsyncStoreBackend) async -> Void) {
        store.clock.run { [store] in await body(store) }
    }
}

/// A piece of work that is ended once.
private final class EndOnce: Sendable {
    private let work: Locked<Activity.Work?>
    init(_ work: Activity.Work?) { self.work = Locked(work) }
    func end() { work.withLock { $0.take() }?.end() }
}

/// A receiver that passes everything on, and reports when a snapshot has been received.
private final class SnapshotWatch: StoreUpdateReceiver {
    private let receiver: any StoreUpdateReceiver
    private let once: EndOnce

    init(_ receiver: any StoreUpdateReceiver, _ once: EndOnce) {
        self.receiver = receiver
        self.once = once
    }

    var journal: JournalID { receiver.journal }

    func receive(_ batch: UpdateBatch) {
        receiver.receive(batch)
        if batch.through.part == nil { once.end() }
    }

    func connectionLost(_ failure: StoreFailure) { receiver.connectionLost(failure) }
}
