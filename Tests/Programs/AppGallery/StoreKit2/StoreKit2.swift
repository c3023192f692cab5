extension Exhibit {
    /// The exhibits on Store Kit 2.
    static let storeKit2: [Exhibit] = [
        ignoresRevocation, listensLate, neverListens, leavesUnfinished, finishesFirst, finishesAside, countsUpdates,
        deliversPending, givesUpPending, givesOnRenewal, trustsAnything, stopsListening, keepsAccess, looksAtLatest,
        sharesAccess, opensWhereBought,
    ]
}
