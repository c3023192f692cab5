import StoreCore

/// A backend that forwards every call that it does not implement itself to another one.
package protocol ForwardingBackend: StoreBackend {
    /// The backend that receives the calls.
    var backend: any StoreBackend { get }
}

extension ForwardingBackend {
    package var clock: any StoreClock { backend.clock }
    package var lane: BackendLane { backend.lane }
    package var services: StoreServices { backend.services }

    package func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        backend.submit(commands, reply: reply)
    }

    package func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        backend.connect(receiver, after: cursor)
    }

    package func disconnect(_ receiver: any StoreUpdateReceiver) { backend.disconnect(receiver) }

    package func acknowledge(through cursor: UpdateCursor) { backend.acknowledge(through: cursor) }

    package func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        backend.products(identifiers, reply: reply)
    }
}

/// A store without its direct transport: queues use `StoreBackend` alone, even in the store's process.
///
/// All calls are forwarded to the store, but the backend is not an ``ImmediateStore``.
package final class SocketBackend: ForwardingBackend {
    package let backend: any StoreBackend

    /// Creates a backend that hides a store's direct transport.
    package init(_ backend: any StoreBackend) { self.backend = backend }
}
