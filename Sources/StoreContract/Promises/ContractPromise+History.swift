extension ContractPromise {
    /// The promises of a store that offers a `HistoryService`.
    static var ofHistory: [ContractPromise] {
        [
            historyAnswered, historyComplete, historyInOrder, unfinishedAgrees, entitlementsAgree, latestAgrees,
            identifiersFound, revocationsFound, limitKept, pagesCoverAll, subscriptionsFound, listenersTold,
            historyRemains,
        ]
    }

    /// Questions about the history are answered.
    public static let historyAnswered = ContractPromise(
        "questions about the history are answered",
        "Each is answered before the deadline, and those about transactions and subscriptions are not refused."
    )
    /// The history has what was sold.
    public static let historyComplete = ContractPromise(
        "the history has what was sold",
        """
        All that the account bought is in it, refunded or not, and nothing that was refused. Finished consumables are in \
        it if they are asked for.
        """
    )
    /// The history is in order.
    public static let historyInOrder = ContractPromise(
        "the history is in order",
        "The newest transaction comes first; among those that are unfinished, the oldest."
    )
    /// The history knows the unfinished transactions.
    public static let unfinishedAgrees = ContractPromise(
        "the history knows what is unfinished",
        "The unfinished transactions are those that are purchased or restored, and that no queue has finished."
    )
    /// Entitlements are products that the account may use.
    public static let entitlementsAgree = ContractPromise(
        "entitlements are what may be used",
        "A product that is bought, lasts and is not refunded is among them, once; no consumable is."
    )
    /// Each product has a latest transaction.
    public static let latestAgrees = ContractPromise(
        "each product has a latest transaction",
        "It is the newest of those in the history, and there is one for each product that was bought."
    )
    /// Transactions are found by their identifiers.
    public static let identifiersFound = ContractPromise(
        "transactions are found by their identifiers",
        "They come in the order of the identifiers, and identifiers that no transaction has are left out."
    )
    /// Revocations are found.
    public static let revocationsFound = ContractPromise(
        "revocations are found",
        """
        Refunded transactions come with the date, in the order of their refunds. Every page has a place behind which \
        later ones are found.
        """
    )
    /// A page keeps to its limit.
    public static let limitKept = ContractPromise(
        "a page keeps to its limit",
        "It has no more transactions than were asked for, be it one."
    )
    /// Pages cover the answer once.
    public static let pagesCoverAll = ContractPromise(
        "pages cover the answer once",
        "Page by page, each transaction comes once, also if the store sells between two pages, and there is a last page."
    )
    /// Subscriptions are found.
    public static let subscriptionsFound = ContractPromise(
        "subscriptions are found",
        "A subscription that was bought is found by its group, by its transaction and among all, and in no other group."
    )
    /// Listeners are told of changes.
    public static let listenersTold = ContractPromise(
        "listeners are told of changes",
        "A listener is told after a sale, a finish and a refund that the answers may have changed."
    )
    /// The history outlives the process.
    public static let historyRemains = ContractPromise(
        "the history outlives the process",
        "After the store was opened again it gives the same answers, also behind places of an earlier launch."
    )
}
