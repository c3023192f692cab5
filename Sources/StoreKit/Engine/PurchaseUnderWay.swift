import StoreCore

/// A purchase whose outcome its buyer awaits, or is about to.
struct PurchaseUnderWay: Sendable {
    /// What a purchase comes to.
    enum Outcome: Sendable {
        /// It was bought, under an identifier.
        case purchased(String)
        /// It waits for somebody else's decision.
        case pending
        /// It failed.
        indirect case failed(StoreFailure)
        /// The buyer's task was canceled, and the purchase goes on.
        case abandoned
        /// The queue was relaunched, released or given another store, or another user signed in: it hears of the outcome no
        /// more.
        case unknown
    }

    /// The outcome, if it came before the buyer waited for it.
    var outcome: Outcome?
    /// The reply to the buyer, once it waits.
    var reply: Reply<Outcome>?
    /// Decides whether it continues after a change of the storefront.
    let shouldContinue: (@Sendable (StoreStorefront) -> Bool)?

    init(shouldContinue: (@Sendable (StoreStorefront) -> Bool)?) { self.shouldContinue = shouldContinue }
}
