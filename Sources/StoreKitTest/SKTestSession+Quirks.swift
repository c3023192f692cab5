import StoreCore

// The quirks of the store that a session controls.
extension SKTestSession {
    /// The behaviors of some real stores that the test environment imitates; none unless set.
    ///
    /// Apple's class has no such property: the quirks are what its sessions, and the App Store, were seen to do.
    ///
    /// ```swift
    /// session.quirks = [.interruptedFails, .listsLate(by: 1)]
    /// session.quirks = .iOS27Simulator
    /// ```
    ///
    /// They are those of ``store``, and so of all sessions of the context. ``resetToDefaultState()`` removes them, and so
    /// does creating another session in the context. ``clearTransactions()`` leaves them as they are.
    public final var quirks: Set<StoreQuirk> {
        get { store.quirks }
        set { store.quirks = newValue }
    }
}
