import StoreCore

extension StoreKit2Driver {
    /// The purchases outside of the store that the app may offer; none without a store that says so.
    var externalEligibility: ExternalEligibility {
        get async { (try? await external(.init(.eligibility)).eligibility) ?? ExternalEligibility() }
    }

    /// Asks the store about a purchase outside of the store.
    ///
    /// - Throws: ``StoreKitError/notEntitled`` if the store does not allow it; another ``StoreKitError`` if the store fails.
    func external(_ request: ExternalRequest) async throws -> ExternalAnswer {
        guard let service = backend?.services.external else { throw StoreKitError.notEntitled }
        let answer: ExternalAnswer
        do {
            answer = try await service.external(request)
        } catch {
            throw StoreKitError.error(for: error)
        }
        guard answer.outcome != .notEligible else { throw StoreKitError.notEntitled }
        return answer
    }
}
