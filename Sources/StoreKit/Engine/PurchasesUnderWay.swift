/// The purchases whose outcome is awaited, by the numbers of their transactions.
///
/// An outcome that comes before its buyer waits, as it does from a store in the process, stays until the buyer takes it.
struct PurchasesUnderWay: Sendable {
    /// The outcome of a purchase, or the reply that will receive it.
    enum Finding {
        case outcome(PurchaseUnderWay.Outcome)
        case undecided(Reply<PurchaseUnderWay.Outcome>)
    }

    /// The last purchase that was begun, which is usually over before there is another.
    private var newest: PurchaseUnderWay?
    private var newestNumber = 0
    /// The earlier purchases.
    private var others: [Int: PurchaseUnderWay] = [:]

    /// The undecided purchase of a number; nil if there is none.
    subscript(number: Int) -> PurchaseUnderWay? {
        let purchase = number == newestNumber ? newest : others[number]
        return purchase?.outcome == nil ? purchase : nil
    }

    /// The numbers of the undecided purchases.
    var numbers: [Int] { (others.keys + [newestNumber]).filter { self[$0] != nil } }

    /// Adds a purchase; numbers ascend.
    mutating func begin(_ purchase: PurchaseUnderWay, _ number: Int) {
        if let newest { others[newestNumber] = newest }
        (newest, newestNumber) = (purchase, number)
    }

    /// Decides a purchase, and returns it; nil if it is decided already or there is none.
    ///
    /// If it has a reply, the caller has to give it the outcome.
    mutating func decide(_ number: Int, _ outcome: PurchaseUnderWay.Outcome) -> PurchaseUnderWay? {
        if number == newestNumber { return newest.decide(outcome) }
        return others.isEmpty ? nil : others[number].decide(outcome)
    }

    /// Decides all purchases as unknown, and returns the replies that are to be given.
    mutating func lose() -> [Reply<PurchaseUnderWay.Outcome>] { numbers.compactMap { decide($0, .unknown)?.reply } }

    /// Returns the outcome of a purchase, or else a reply to wait for; to be called once.
    mutating func await(_ number: Int) -> Finding {
        number == newestNumber ? newest.await() : others[number].await()
    }
}

// One look-up each.
extension PurchaseUnderWay? {
    fileprivate mutating func decide(_ outcome: PurchaseUnderWay.Outcome) -> PurchaseUnderWay? {
        guard let purchase = self, purchase.outcome == nil else { return nil }
        if purchase.reply == nil { self?.outcome = outcome } else { self = nil }
        return purchase
    }

    fileprivate mutating func await() -> PurchasesUnderWay.Finding {
        guard let purchase = self else { return .outcome(.unknown) }
        if let outcome = purchase.outcome {
            self = nil
            return .outcome(outcome)
        }
        let reply = Reply<PurchaseUnderWay.Outcome>()
        self?.reply = reply
        return .undecided(reply)
    }
}
