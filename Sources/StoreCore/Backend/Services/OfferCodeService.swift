/// A service by which a store shows the sheet for offer codes.
public protocol OfferCodeService: Sendable {
    /// Shows the sheet in which the user redeems an offer code.
    ///
    /// A redeemed code leads to an ordinary purchased transaction in an update. Called on the app's thread; must not
    /// block.
    ///
    /// - Parameter reply: to be called once, when the sheet is closed. Pass the identifier of the redeemed transaction;
    ///   for an offer that begins at a later renewal, that of the running period; nil if the user canceled. Otherwise pass
    ///   the reason why there was no sheet or the code had no effect. A queue logs it, and Store Kit 2 throws it.
    func presentCodeRedemptionSheet(reply: @escaping @Sendable (Result<String?, StoreFailure>) -> Void)
}

/// An ``OfferCodeService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncOfferCodeService: Sendable {
    /// Shows the sheet in which the user redeems an offer code; returns when it is closed.
    ///
    /// - Returns: the identifier of the redeemed transaction; for an offer that begins at a later renewal, that of the
    ///   running period; nil if the user canceled.
    /// - Throws: the reason why there was no sheet or the code had no effect. A queue logs it, and Store Kit 2 throws it.
    func presentCodeRedemptionSheet() async throws -> String?
}
