import StoreCore

extension FaultInjector {
    /// Something that waits to be released.
    public struct Held: Identifiable, Sendable, CustomStringConvertible {
        /// Its name, which nothing else of this interposer has.
        public let id: Int
        /// What it is, and at which point it waits.
        public let crossing: Crossing

        /// Where it waits.
        public var point: Point { crossing.point }
        /// The point, its number there and, in short, what it is.
        public var description: String { crossing.description }
    }

    /// What waits to be released, in the order in which it came.
    public var held: [Held] {
        state.withLock { state in
            state.waiting.filter { $0.wait == .release }.map { Held(id: $0.id, crossing: $0.crossing) }
        }
    }

    /// Lets go of one thing that is held.
    ///
    /// It arrives before this returns, and so does what it leads to in a store that answers at once. An update that is
    /// released before an earlier one on its connection overtakes it. No rule is asked about it again.
    ///
    /// - Parameters:
    ///   - id: its name, from ``held``.
    ///   - act: what is done to it now; it passes unless given.
    /// - Returns: whether it was there. It may have been lost with its connection, or released before.
    @discardableResult
    public func release(_ id: Held.ID, as act: Act = .pass) -> Bool {
        if let flaw = act.flaw { fatalError(flaw) }
        return performWatched { $0.release(id, as: act, &$1) }
    }

    /// Lets go of all that is held now, one after another in the order in which it came.
    ///
    /// What comes to be held meanwhile stays.
    public func releaseAll() { for held in held { release(held.id) } }
}
