import StoreCore

/// An option for the redemption of an offer code.
///
/// No option is defined so far, in Apple's Store Kit either.
public struct RedeemOption: Hashable, Sendable {
    private init() {}
}

extension AppStore {
    /// Asks the store to show its sheet for offer codes, and returns the transaction of the code that the user enters.
    ///
    /// In a sandbox store, the user takes the action of `codeEntry` at once. The transaction is also one of
    /// ``Transaction/updates``. If the offer begins at a later renewal, the transaction is that of the running period.
    ///
    /// - Parameter options: options for the redemption.
    /// - Returns: the transaction.
    /// - Throws: `StoreKitError.userCancelled` if the user closes the sheet, `StoreKitError.systemError` with the store's
    ///   reason why the code has no effect, `StoreKitError.unsupported` for a store without a sheet, and a
    ///   `CancellationError` in a task that is canceled; the redemption then continues.
    @MainActor public static func presentOfferCodeRedeemSheet(
        options: Set<RedeemOption> = []
    ) async throws -> VerificationResult<Transaction> {
        try await StoreKit2Driver.current.redeemCode()
    }
}
