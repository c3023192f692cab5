import StoreContract
import StoreCore

/// A store that offers the sale alone.
final class PlainStore: ForwardingBackend {
    let backend: any StoreBackend

    init(_ store: SandboxStore) { backend = store }

    var lane: BackendLane { .background }
    var services: StoreServices { StoreServices() }
    func acknowledge(through cursor: UpdateCursor) {}
}
