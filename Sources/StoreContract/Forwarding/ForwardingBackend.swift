import StoreCore

/// A backend that forwards everything to another one, except what it implements itself.
package protocol ForwardingBackend: StoreBackend {
    /// The backend that answers.
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
