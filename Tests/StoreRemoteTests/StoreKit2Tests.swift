import StoreContract
import StoreCore
import StoreKit
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// Store Kit 2 over a store elsewhere.
@Suite(.fewAtATime, .server) struct StoreKit2Tests {
    @Test func `An app buys, finishes, and hears what is bought elsewhere and refunded`() async throws {
        let signer = HMACReceiptSigner()
        let shop = try RemoteShop(signer: signer)
        let remote = shop.remote { $0.verifier = signer }
        let context = StoreContext(
            backend: remote.asStoreBackend(),
            delivery: .queue(DispatchQueue(label: "callbacks")),
            log: .silent
        )
        try await context.run {
            var updates = Transaction.updates.makeAsyncIterator()
            let castle = try #require(try await Product.products(for: ["castle"]).first)
            guard case .success(.verified(let transaction)) = try await castle.purchase() else {
                Issue.record("the castle was not sold")
                return
            }
            await transaction.finish()
            #expect(await Transaction.latest(for: "castle")?.unsafePayloadValue.id == transaction.id)
            let sword = try shop.store.account.buy("sword")
            let bought = try #require(await updates.next())
            #expect(String(bought.unsafePayloadValue.id) == sword)
            await bought.unsafePayloadValue.finish()
            try shop.store.refund(String(transaction.id))
            let refunded = try #require(await updates.next()).unsafePayloadValue
            #expect(refunded.id == transaction.id && refunded.revocationDate != nil)
        }
    }
}
