import StoreCore
import StoreKit
import Testing

@Suite struct AppTransactionTests {
    private func app(_ change: (inout AppTransactionPayload) -> Void = { _ in }) async throws -> AppTransaction {
        try await AppTransactionPayload.sample(change).signed().result().payloadValue
    }

    @Test func `An app transaction has its payload's values`() async throws {
        let app = try await app {
            $0.appAppleId = 123_456
            $0.appTransactionId = "abc"
            $0.originalApplicationVersion = "0.9"
            $0.originalPurchaseDate = PayloadDate(milliseconds: 1_000)
        }
        #expect(app.appID == 123_456 && app.appTransactionID == "abc" && app.bundleID == "com.example.app")
        #expect(app.appVersion == "3.1" && app.originalAppVersion == "0.9")
        #expect(app.originalPurchaseDate == Date(timeIntervalSince1970: 1) && app.environment == .production)
        #expect(app.signedDate == Date(timeIntervalSince1970: 2.5) && app.storeType == .consumer)
    }

    @Test func `A value that the payload lacks is nil, or the documented one`() async throws {
        let app = try await app()
        #expect(app.appID == nil && app.appVersionID == nil && app.appTransactionID == "")
        #expect(app.originalAppVersion == "1.0" && app.originalPurchaseDate == AppTransactionPayload.testPurchaseDate)
        #expect(app.originalPlatform.rawValue == "" && app.preorderDate == nil && app.revocationDate == nil)
        #expect(app.deviceVerification == Data())
        #expect(app.deviceVerificationNonce.uuidString == "00000000-0000-0000-0000-000000000000")
    }

    @Test func `A number that no app has is none`() async throws {
        #expect(try await app { $0.appAppleId = -1 }.appID == nil)
    }

    @Test func `App transactions are equal if their payloads are, whoever signed them`() async throws {
        let payload = AppTransactionPayload.sample()
        let one = try await payload.signed(key: "one").result().payloadValue
        let other = try await payload.signed(key: "other").result().payloadValue
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(try await one != app { $0.appTransactionId = "abc" })
    }

    @Test func `The description is the JSON`() async throws {
        let app = try await app()
        #expect(app.debugDescription == String(decoding: app.jsonRepresentation, as: UTF8.self))
        #expect(app.jsonRepresentation == AppTransactionPayload.sample().json)
    }

    @Test func `All app transactions are the account's own one, for each iteration`() async throws {
        let signed = try AppTransactionPayload.sample().signed()
        let counts = await HistoryStore(app: signed).run {
            let all = AppTransaction.all
            return [await all.all().count, await all.all().count]
        }
        #expect(counts == [1, 1])
    }

    @Test func `An app transaction has the version, date and platform that the store or the account was given`()
        async throws
    {
        let shop = try Shop(.inline)
        let date = Date(timeIntervalSince1970: 1_546_300_800)
        try shop.store.setAppPurchase(AppPurchase(version: "3", platform: .iOS))
        try shop.store.account.setAppPurchase(AppPurchase(version: "2.1", date: date))
        let refreshed = try await shop.run { try await AppTransaction.refresh() }.payloadValue
        let shared = try await shop.run { try await AppTransaction.shared }.payloadValue
        #expect(refreshed == shared && shared.originalAppVersion == "2.1" && shared.originalPurchaseDate == date)
        #expect(shared.originalPlatform == .iOS)
        try shop.store.device.signOut()
        let nobody = try await shop.run { try await AppTransaction.shared }.payloadValue
        #expect(nobody.originalAppVersion == "3")
        #expect(nobody.originalPurchaseDate == AppTransactionPayload.testPurchaseDate)
    }

    @Test func `A store that does not answer has no app transaction`() async {
        let store = HistoryStore()
        await #expect(throws: StoreKitError.self) { try await store.run { try await AppTransaction.shared } }
        await #expect(throws: StoreKitError.self) { try await store.run { try await AppTransaction.refresh() } }
        #expect(await store.run { await AppTransaction.all.all() }.isEmpty)
    }
}

@Suite struct AppStoreTests {
    @Test(arguments: [true, false]) func `The store says whether the user may pay`(isAllowed: Bool) async {
        #expect(await HistoryStore(canMakePayments: isAllowed).run { AppStore.canMakePayments } == isAllowed)
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
