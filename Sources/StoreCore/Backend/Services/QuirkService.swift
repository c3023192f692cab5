/// A service by which a store in the app's process reports its quirks, some of which concern the life of a process.
package protocol QuirkService: Sendable {
    /// The store's quirks.
    ///
    /// Reading them must not block.
    var quirks: Set<StoreQuirk> { get }
}
