import StoreCore
import StoreKit
import Testing

@Suite struct AppStoreTests {
    @Test(arguments: [true, false]) func `The store says whether the user may pay`(isAllowed: Bool) async {
        let store = HistoryStore(canMakePayments: isAllowed)
        #expect(await store.run { AppStore.canMakePayments } == isAllowed)
    }

    @Test func `The store names the device`() async {
        let device = UUID()
        #expect(await HistoryStore(deviceVerificationID: device).run { AppStore.deviceVerificationID } == device)
        #expect(await HistoryStore().run { AppStore.deviceVerificationID } == nil)
    }

    @Test func `A store without further devices is synchronized at once`() async throws {
        try await HistoryStore().run { try await AppStore.sync() }
    }

    @Test func `Environments and platforms have their names in payloads`() {
        let environments: [AppStore.Environment] = [.production, .sandbox, .xcode]
        #expect(environments.map(\.rawValue) == ["Production", "Sandbox", "Xcode"])
        let platforms: [AppStore.Platform] = [.iOS, .macOS, .tvOS, .visionOS]
        #expect(platforms.map(\.rawValue) == ["iOS", "macOS", "tvOS", "visionOS"])
    }

    @Test func `Each reason for a message has words of its own`() {
        let reasons: [Message.Reason] = [.generic, .priceIncreaseConsent, .billingIssue, .winBackOffer]
        #expect(Set(reasons.map(\.localizedDescription)).count == 4)
        #expect(Message.Reason(rawValue: 99).localizedDescription == "Unknown")
    }
}
