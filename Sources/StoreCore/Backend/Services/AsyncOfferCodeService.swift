/// An ``OfferCodeService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncOfferCodeService: Sendable {
    /// Shows the sheet in which the user redeems an offer code; returns when it is closed.
    ///
    /// - Throws: the reason why there is no sheet, or why the code had no effect. The queue logs it.
    func presentCodeRedemptionSheet() async throws
}
