/// A service by which a store in the app's process reports its quirks, some of which concern the life of a process.
package protocol QuirkService: Sendable {
    /// Returns the store's quirk of a kind; nil if the store has none.
    ///
    /// Must not block.
    func quirk(_ kind: StoreQuirk.Kind) -> StoreQuirk?
}
