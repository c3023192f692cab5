import StoreContract
import StoreCore

/// How a service's answer is handed over.
typealias Reply<Value> = @Sendable (Result<Value, StoreFailure>) -> Void

/// A store that offers the sale alone.
final class PlainStore: ForwardingBackend {
    let backend: any StoreBackend

    init(_ store: SandboxStore) { backend = store }

    var lane: BackendLane { .background }
    var services: StoreServices { StoreServices() }
    func acknowledge(through cursor: UpdateCursor) {}
}

/// A store on the caller's lane or one of the queue's own.
final class LaneBackend: ForwardingBackend {
    let backend: any StoreBackend
    let lane: BackendLane

    init(_ backend: any StoreBackend, _ lane: BackendLane) { (self.backend, self.lane) = (backend, lane) }
}
