import StoreCore

/// A purchase whose buyer awaits the outcome, or is about to.
struct PurchaseInProgress: Sendable {
    /// The outcome of a purchase.
    enum Outcome: Sendable {
        /// The product was bought; the transaction has this identifier.
        case purchased(String)
        /// Another person has to approve the purchase.
        case pending
        /// The purchase failed.
        indirect case failed(StoreFailure)
        /// The buyer's task was canceled, and the purchase goes on.
        case taskCanceled
        /// The queue does not receive the outcome: it was relaunched, released or given another store, or another user
        /// signed in.
        case unknown
    }

    /// The outcome, if it came before the buyer awaited it.
    var outcome: Outcome?
    /// The reply to the buyer; nil until the buyer waits.
    var reply: Reply<Outcome>?
    /// Decides whether the purchase continues after a change of the storefront.
    let shouldContinue: (@Sendable (StoreStorefront) -> Bool)?
}

/// The purchases whose outcome is awaited, by the numbers of their transactions.
///
/// An outcome that comes before its buyer awaits it, as from an in-process store, is stored until the buyer takes it.
struct PurchasesInProgress: Sendable {
    /// The outcome of a purchase, or the reply that will receive it.
    enum Finding {
        case outcome(PurchaseInProgress.Outcome)
        case undecided(Reply<PurchaseInProgress.Outcome>)
    }

    /// The most recent purchase, outside the dictionary because it is usually decided before the next begins.
    private var newest: PurchaseInProgress?
    private var newestNumber = 0
    /// The earlier purchases.
    private var others: [Int: PurchaseInProgress] = [:]

    /// The undecided purchase with a number; nil if there is none.
    subscript(number: Int) -> PurchaseInProgress? {
        let purchase = number == newestNumber ? newest : others[number]
        return purchase?.outcome == nil ? purchase : nil
    }

    /// The numbers of the undecided purchases.
    var numbers: [Int] { (others.keys + [newestNumber]).filter { self[$0] != nil } }

    /// Adds a purchase; numbers ascend.
    mutating func begin(_ purchase: PurchaseInProgress, _ number: Int) {
        if let newest { others[newestNumber] = newest }
        (newest, newestNumber) = (purchase, number)
    }

    /// Decides a purchase, and returns it; nil if it is decided already or there is none.
    ///
    /// If the returned purchase has a reply, the reply is still to be completed with the outcome.
    mutating func decide(_ number: Int, _ outcome: PurchaseInProgress.Outcome) -> PurchaseInProgress? {
        if number == newestNumber { return newest.decide(outcome) }
        return others.isEmpty ? nil : others[number].decide(outcome)
    }

    /// Returns the outcome of a purchase, or else a reply to wait for; call it once.
    mutating func takeOutcome(of number: Int) -> Finding {
        number == newestNumber ? newest.takeOutcome() : others[number].takeOutcome()
    }
}

// Methods of the optional, so that a change looks up the dictionary's entry only once.
extension PurchaseInProgress? {
    fileprivate mutating func decide(_ outcome: PurchaseInProgress.Outcome) -> PurchaseInProgress? {
        guard let purchase = self, purchase.outcome == nil else { return nil }
        if purchase.reply == nil { self?.outcome = outcome } else { self = nil }
        return purchase
    }

    fileprivate mutating func takeOutcome() -> PurchasesInProgress.Finding {
        guard let purchase = self else { return .outcome(.unknown) }
        if let outcome = purchase.outcome {
            self = nil
            return .outcome(outcome)
        }
        let reply = Reply<PurchaseInProgress.Outcome>()
        self?.reply = reply
        return .undecided(reply)
    }
}
