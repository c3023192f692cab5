import Foundation
import StoreCore
import StoreCrypto
import Testing

/// JWS that are signed later than their signing date says, and receipts that outlive the root.
@Suite(.libcrypto) struct LateSigningTests {
    private let clock = ManualClock()

    private func store(_ authority: CertificateAuthority) throws -> SandboxStore {
        let products: [SandboxProduct] = [.nonConsumable("castle", price: "9.99")]
        return try SandboxStore(products: products, clock: clock, signer: try AppStoreSigner(authority, clock: clock))
    }

    @Test func `A transaction that is read now and signed a day later is accepted as of its signing date`() throws {
        let store = try store(try CertificateAuthority(now: clock.now))
        try store.account.buy("castle")
        let transaction = try store.signedTransaction("1")
        clock.advance(by: 86_400)
        let payload = try TransactionPayload(verifying: transaction.jws, signer: store.payloadSigner)
        #expect(payload == transaction.payload)
    }

    @Test func `A receipt is verified after the root's end, by a signer that never verified before`() throws {
        let lifetimes = CertificateAuthority.Lifetimes(root: 86_400, intermediate: 86_400, leaf: 86_400)
        let store = try store(try CertificateAuthority(now: clock.now, lifetimes: lifetimes))
        try store.account.buy("castle")
        let receipt = try #require(store.appReceipt)
        clock.advance(by: 2 * 86_400)
        #expect(try store.verify(appReceipt: receipt).purchases.map(\.productIdentifier) == ["castle"])
    }
}
