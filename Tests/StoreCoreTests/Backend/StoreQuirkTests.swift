import StoreCore
import Testing

@Suite struct StoreQuirkTests {
    @Test(arguments: StoreQuirk.Kind.allCases)
    func `A kind has a sentence, a source, a system and a name that reads back`(kind: StoreQuirk.Kind) {
        #expect(!kind.sentence.isEmpty && !kind.sentence.hasSuffix("."))
        #expect(!kind.source.isEmpty)
        #expect(!kind.systems.isEmpty)
        let quirk = StoreQuirk(kind)
        #expect(quirk.description == kind.rawValue)
        #expect(StoreQuirk(quirk.description) == quirk)
    }

    @Test(arguments: StoreQuirk.Kind.allCases.filter { $0.defaultSeconds != nil })
    func `A time that is not the usual one is in the description`(kind: StoreQuirk.Kind) throws {
        let usual = try #require(kind.defaultSeconds)
        let quirk = StoreQuirk(kind, seconds: usual + 0.25)
        #expect(quirk.description == "\(kind.rawValue)=\(usual + 0.25)")
        #expect(StoreQuirk(quirk.description) == quirk)
        #expect(StoreQuirk("\(kind.rawValue)=\(usual)") == StoreQuirk(kind))
    }

    @Test func `A kind without a time has none, whatever is given`() {
        #expect(StoreQuirk(.renewalsNewestFirst, seconds: 3) == .renewalsNewestFirst)
        #expect(StoreQuirk.renewalsNewestFirst.seconds == nil)
    }

    @Test(
        arguments: [
            "", "=", "lists", "lists-late=", "lists-late=soon", "lists-late=-1", "lists-late=inf", "lists-late=nan",
            "renewals-newest-first=1", "Lists-Late", "lists-late=1=2", "notifies-late=1e300", "lists-late=315360001",
        ]
    )
    func `Any other text is no quirk`(text: String) { #expect(StoreQuirk(text) == nil) }

    @Test func `A profile has what its system was seen to do`() {
        let mac: Set<StoreQuirk> = [
            .listsLate(by: 1), .announcesBeforeListing(by: 0.5), .expiresForAMoment, .renewalsNewestFirst,
            .finishedPurchaseReturns, .unfinishedVanishes(after: 1), .keepsEligibility, .unknownOfferSellsAtFullPrice,
            .announcesOwnPurchases, .keepsErrors,
        ]
        #expect(Set<StoreQuirk>.macOS26_6 == mac)
        let phone: Set<StoreQuirk> = [
            .looksCanceledForAMoment, .renewalsNewestFirst, .latestRenewalTwice, .keepsEligibility, .lapsedIsNotSold,
            .declinedArrives, .interruptedFails, .renewsInBillingRetry, .concealsAutoRenew,
        ]
        #expect(Set<StoreQuirk>.iOS27Simulator == phone)
    }

    @Test func `A quirk of a kind is found among others`() {
        let quirks: Set<StoreQuirk> = [.listsLate(by: 3), .keepsEligibility]
        #expect(quirks[.listsLate]?.seconds == 3)
        #expect(quirks[.keepsErrors] == nil)
    }
}
