extension Exhibit {
    /// The exhibits on Store Kit 1.
    static let storeKit1: [Exhibit] = [finishesBeforeKeeping]
}
