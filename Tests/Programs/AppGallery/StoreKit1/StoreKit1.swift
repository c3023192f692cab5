extension Exhibit {
    /// The exhibits on Store Kit 1.
    static let storeKit1: [Exhibit] = [
        finishesBeforeKeeping, neverFinishes, countsWithoutRecord, observesLate, dropsDeferred, dropsInterrupted,
        dropsUnknown, remembersProducts, remembersOne, ignoresQuantity, keepsFailures, twoObservers, givesOnRestore,
        deliversEarly, keepsRevoked, remembersAccess, trustsAnyReceipt,
    ]
}
