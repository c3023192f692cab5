import StoreCore
import Testing

@Suite struct QuirkAppTests {
    @Test(arguments: QuirkApps.all)
    func `An app that takes a good moment for granted breaks by a quirk, and another one does not`(
        apps: QuirkApps
    ) async throws {
        for quirks in [[], [apps.quirk]] as [Set<StoreQuirk>] {
            let (first, second) = (try Shop.forApps(), try Shop.forApps())
            for shop in [first, second] { shop.store.quirks = quirks }
            #expect(try await apps.fragile(first) == quirks.isEmpty)
            #expect(try await apps.robust(second))
        }
    }

    @Test func `Each quirk of the history has its pair of apps`() {
        let kinds: [StoreQuirk.Kind] = [
            .listsLate, .announcesBeforeListing, .expiresForAMoment, .looksCanceledForAMoment, .renewalsNewestFirst,
            .latestRenewalTwice, .finishedPurchaseReturns, .unfinishedVanishes, .keepsEligibility,
            .renewsInBillingRetry, .announcesOwnPurchases, .concealsAutoRenew, .revocationComesOnce,
        ]
        #expect(Set(QuirkApps.all.map(\.quirk.kind)) == Set(kinds))
        #expect(QuirkApps.all.count == kinds.count)
    }
}
