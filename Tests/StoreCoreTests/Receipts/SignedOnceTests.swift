import Foundation
import StoreCore
import Testing

/// App receipts and JWS that are read again: signed once, until something has changed.
@Suite struct SignedOnceTests {
    private let clock = ManualClock()

    private func store(_ signer: any ReceiptSigner) throws -> SandboxStore {
        try SandboxStore(products: Market.products, clock: clock, signer: signer)
    }

    // MARK: App receipts

    @Test func `An app receipt that is read twice is signed once, and is the same byte by byte`() throws {
        let signer = CountingSigner()
        let store = try store(signer)
        try store.account.buy("full.game")
        let receipt = try #require(store.appReceipt)
        clock.advance(by: 0.5)
        #expect(store.appReceipt == receipt)
        #expect(signer.count == 1)
        #expect(try store.verify(appReceipt: receipt).purchases.map(\.productIdentifier) == ["full.game"])
    }

    @Test func `A sealed app receipt that is read twice is sealed once`() throws {
        let signer = CountingSealer()
        let store = try store(signer)
        try store.account.buy("full.game")
        let receipt = try #require(store.appReceipt)
        #expect(store.appReceipt == receipt)
        #expect(signer.count == 1)
        try store.account.buy("lessons")
        let longer = try #require(store.appReceipt)
        #expect(store.appReceipt == longer)
        #expect(signer.count == 2)
        let purchases = try store.verify(appReceipt: longer).purchases
        #expect(Set(purchases.map(\.productIdentifier)) == ["full.game", "lessons"])
    }

    @Test func `It is signed anew for each change: a purchase, a refund, a refresh, another account`() throws {
        let signer = CountingSigner()
        let store = try store(signer)
        let bob = try store.addAccount("bob")
        try store.account.buy("full.game")
        var receipts = [try #require(store.appReceipt)]
        let changes: [() throws -> Void] = [
            { try store.account.buy("lessons") },
            { try store.refund("1") },
            { store.refreshReceipt(ReceiptProperties(isRevoked: true)) { _ in } },
            { try store.device.signIn(to: bob) },
        ]
        for change in changes {
            try change()
            receipts.append(try #require(store.appReceipt))
            #expect(store.appReceipt == receipts.last)
            #expect(signer.count == receipts.count)
        }
        #expect(Set(receipts).count == 5)
    }

    @Test func `It is signed anew in another second, with that as its creation date`() throws {
        let signer = CountingSigner()
        let store = try store(signer)
        try store.account.buy("full.game")
        let first = try store.verify(appReceipt: try #require(store.appReceipt)).creationDate
        clock.advance(by: 1)
        let second = try store.verify(appReceipt: try #require(store.appReceipt)).creationDate
        #expect(second.timeIntervalSince(first) == 1)
        #expect(signer.count == 2)
    }

    @Test func `Each device has its own`() throws {
        let signer = CountingSigner()
        let store = try store(signer)
        let tablet = try store.addDevice("tablet", signedInTo: store.account)
        try store.account.buy("full.game")
        let receipts = [store.appReceipt, tablet.appReceipt]
        #expect(receipts[0] != receipts[1])
        #expect([store.appReceipt, tablet.appReceipt] == receipts)
        #expect(signer.count == 2)
    }

    @Test func `The file and the store have the same, which is signed for one of them`() throws {
        let signer = CountingSigner()
        let store = try store(signer)
        let context = StoreContext(backend: store, delivery: .inline, log: .silent)
        try store.account.buy("full.game")
        let url = try #require(context.appReceiptURL)
        #expect(try Data(contentsOf: url) == store.appReceipt)
        #expect(signer.count == 1)
    }

    // MARK: JWS

    @Test func `A transaction that is read twice is signed once, for a server and for each device`() throws {
        let signer = CountingSigner()
        let store = try store(signer)
        try store.account.buy("gold.monthly")
        let jws = try store.signedTransaction("1").jws
        clock.advance(by: 0.5)
        #expect(try store.signedTransaction("1").jws == jws)
        #expect(try store.account.signedTransactions.map { try $0.jws } == [jws])
        #expect(try store.account.signedSubscriptions(inGroup: "metals").map { try $0.transaction.jws } == [jws])
        #expect(signer.count == 1)
        let own = try store.device.signedTransaction("1").jws
        #expect(try store.device.signedTransactions.map { try $0.jws } == [own])
        #expect(own != jws)
        #expect(signer.count == 2)
    }

    @Test func `A renewal and the app's own purchase that are read twice are signed once`() throws {
        let signer = CountingSigner()
        let store = try store(signer)
        try store.account.buy("gold.monthly")
        var texts: [[String]] = []
        for _ in 0..<2 {
            let subscription = try #require(try store.account.signedSubscriptions(inGroup: "metals").first)
            texts.append([try subscription.renewal.jws, try store.account.signedAppTransaction.jws])
        }
        #expect(texts[0] == texts[1])
        #expect(signer.count == 2)
    }

    @Test func `A transaction that has changed, or is read in another second, is signed anew`() throws {
        let signer = CountingSigner()
        let store = try store(signer)
        try store.account.buy("sword")
        let first = try store.signedTransaction("1")
        _ = try first.jws
        try store.refund("1")
        let refunded = try store.signedTransaction("1")
        _ = try refunded.jws
        #expect(first.payload.revocationDate == nil && refunded.payload.revocationDate != nil)
        #expect(signer.count == 2)
        clock.advance(by: 1)
        let later = try store.signedTransaction("1")
        _ = try later.jws
        #expect(later.payload.signedDate == PayloadDate(clock.now))
        #expect(signer.count == 3)
    }

    @Test func `A store keeps the values that were read last, not all of them`() throws {
        let signer = CountingSigner()
        let store = try store(signer)
        for _ in 0..<2_100 { try store.account.buy("sword") }
        for value in try store.account.signedTransactions { _ = try value.jws }
        #expect(signer.count == 2_100)
        _ = try store.signedTransaction("2100").jws
        #expect(signer.count == 2_100)
        _ = try store.signedTransaction("1").jws
        #expect(signer.count == 2_101)
    }
}
