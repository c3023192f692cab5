import StoreCore

extension FaultInjector {
    /// A held message that waits to be released.
    public struct Held: Identifiable, Sendable, CustomStringConvertible {
        /// Its identifier, unique within this injector.
        public let id: Int
        /// The event at which it is held.
        public let event: Event

        /// The point at which it is held.
        public var point: Point { event.point }
        /// The point, its number there and a short description.
        public var description: String { event.description }
    }

    /// The held messages, in order of arrival.
    public var held: [Held] {
        state.withLock { state in
            state.waiting.filter { $0.wait == .release }.map { Held(id: $0.id, event: $0.event) }
        }
    }

    /// Releases a held message.
    ///
    /// It arrives before this returns, and so do its consequences in a store that answers at once. An update that is
    /// released before an earlier one on its connection overtakes it. No rule is applied to it again.
    ///
    /// - Parameters:
    ///   - id: its identifier, from ``held``.
    ///   - fault: the fault to inject now; it passes unless given.
    /// - Returns: whether it was held. It may have been lost with its connection, or released before.
    @discardableResult
    public func release(_ id: Held.ID, as fault: Fault = .pass) -> Bool {
        if let flaw = fault.flaw { fatalError(flaw) }
        return performWatched { $0.release(id, as: fault, &$1) }
    }

    /// Releases all messages held now, one after another in order of arrival.
    ///
    /// Messages that are held meanwhile stay.
    public func releaseAll() { for held in held { release(held.id) } }
}
