import StoreKit

extension CrossStore {
    /// Lets the user type a code, and returns what it buys.
    @MainActor package func redeemCode() async throws -> Purchase {
        let options: Set<RedeemOption> = []
        let result: VerificationResult<StoreKit.Transaction>
        do {
            #if canImport(UIKit)
                let controller = UIApplication.shared.connectedScenes
                    .compactMap { ($0 as? UIWindowScene)?.keyWindow?.rootViewController }
                    .first
                guard let controller else { throw PurchaseError(.unavailable) }
                result = try await AppStore.presentOfferCodeRedeemSheet(from: controller, options: options)
            #else
                result = try await AppStore.presentOfferCodeRedeemSheet(options: options)
            #endif
        } catch {
            throw PurchaseError.wrap(error)
        }
        guard case .verified(let transaction) = result else { throw PurchaseError(.unverified) }
        await transaction.finish()
        return await PurchaseConversion.purchase(from: transaction, jws: result.jwsRepresentation)
    }
}
