import StoreCore

/// A store that queues reach through the socket only, although it may be in their process.
///
/// It forwards the store's answers, but is no ``ImmediateStore``.
package final class SocketBackend: ForwardingBackend {
    package let backend: any StoreBackend

    /// Hides a store's direct transport.
    package init(_ backend: any StoreBackend) { self.backend = backend }
}
