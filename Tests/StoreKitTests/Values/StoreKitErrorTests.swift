import StoreCore
import StoreKit
import Testing

@Suite struct StoreKitErrorTests {
    @Test func `Each error has a sentence of its own`() {
        let errors: [StoreKitError] = [
            .unknown, .userCancelled, .networkError(URLError(.timedOut)),
            .systemError(StoreFailure.storeKit(.unknown, "the ledger is full")), .notAvailableInStorefront,
            .notEntitled, .unsupported, .invalidPresentationContext,
        ]
        #expect(Set(errors.map(\.errorDescription)).count == 8)
        #expect(errors.allSatisfy { ($0 as any Error).localizedDescription == $0.errorDescription })
    }

    @Test func `An error of the store or of the network has the reason that was given`() {
        let failure = StoreFailure.storeKit(.unknown, "the ledger is full")
        #expect(StoreKitError.systemError(failure).failureReason == "the ledger is full")
        let told = URLError(.timedOut, userInfo: [StoreFailure.reasonKey: "the store is asleep"])
        #expect(StoreKitError.networkError(told).failureReason == "the store is asleep")
        #expect(StoreKitError.networkError(URLError(.timedOut)).failureReason != nil)
        #expect(StoreKitError.unsupported.failureReason == nil)
    }

    @Test func `Only errors that may pass suggest to try again`() {
        let network = StoreKitError.networkError(URLError(.timedOut))
        #expect(network.recoverySuggestion != nil)
        #expect(StoreKitError.unknown.recoverySuggestion != nil)
        #expect(StoreKitError.userCancelled.recoverySuggestion == nil)
        #expect(StoreKitError.notEntitled.recoverySuggestion == nil)
    }
}
