import StoreKit
import Testing

@Suite struct AgeRatingTests {
    @Test func `The age rating is the one that the store was given last`() async throws {
        let shop = try Shop()
        #expect(await shop.run { await AppStore.ageRatingCode } == nil)
        shop.store.ageRatingCode = 416
        shop.store.ageRatingCode = 618
        #expect(await shop.run { await AppStore.ageRatingCode } == 618)
    }

    @Test func `A store that does not tell has no age rating`() async {
        #expect(await HistoryStore().run { await AppStore.ageRatingCode } == nil)
    }
}
