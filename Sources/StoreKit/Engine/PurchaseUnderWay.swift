import StoreCore

/// A purchase whose outcome its buyer awaits.
struct PurchaseUnderWay: Sendable {
    /// What a purchase comes to.
    enum Outcome: Sendable {
        /// It was bought, under an identifier.
        case purchased(String)
        /// It waits for somebody else's decision.
        case pending
        /// It failed.
        case failed(StoreFailure)
        /// The buyer's task was canceled, and the purchase goes on.
        case abandoned
        /// The queue was relaunched, released or given another store, or another user signed in: it hears of the outcome no
        /// more.
        case unknown
    }

    let outcome = Reply<Outcome>()
    /// Decides whether it continues after a change of the storefront.
    let shouldContinue: (@Sendable (StoreStorefront) -> Bool)?
}
