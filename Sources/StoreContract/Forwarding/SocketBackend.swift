import StoreCore

/// A store that queues reach through the socket only, although it may be in their process.
///
/// What it hands on is what the store says; but it is no ``ImmediateStore``.
package final class SocketBackend: ForwardingBackend {
    package let backend: any StoreBackend

    /// Hides a store's direct road.
    package init(_ backend: any StoreBackend) { self.backend = backend }
}
