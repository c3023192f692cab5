import Foundation
import StoreCore
import Testing

/// The keys with which requests may be signed.
@Suite struct RequestSignerTests {
    /// A signer that does something as soon as its key is read.
    private final class BusySigner: OfferSigner {
        private let act = Locked<(@Sendable () -> Void)?>(nil)

        init(_ act: @escaping @Sendable () -> Void) { self.act.withLock { $0 = act } }

        var keyIdentifier: String {
            act.withLock { act in
                defer { act = nil }
                return act
            }?()
            return "busy"
        }

        func sign(_ message: Data) throws -> Data { message }
        func isValid(signature: Data, for message: Data) -> Bool { false }
    }

    /// Buys by a request that is signed with a key.
    private func buy(in shop: RequestShop, _ signer: any OfferSigner) throws {
        let claims = AdvancedCommerceClaims(
            bundleIdentifier: "com.example.app",
            request: try RequestShop.json(RequestShop.charge()),
            nonce: UUID(),
            issuedAt: Int64(shop.market.clock.now.timeIntervalSince1970)
        )
        try shop.account.buy(RequestShop.charge, compactJWS: claims.signed(by: signer))
    }

    @Test func `A key that is added while another one is stays accepted`() throws {
        let shop = try RequestShop()
        let (store, signer) = (shop.store, HMACOfferSigner(keyIdentifier: "other"))
        store.acceptRequests(signedBy: HMACOfferSigner(keyIdentifier: "first"))
        store.acceptRequests(signedBy: BusySigner { store.acceptRequests(signedBy: signer) })
        try buy(in: shop, signer)
    }

    @Test func `A key that is added while the keys of offers change stays accepted`() throws {
        let shop = try RequestShop()
        let (store, signer) = (shop.store, HMACOfferSigner(keyIdentifier: "other"))
        store.offerSigners = [BusySigner { store.acceptRequests(signedBy: signer) }]
        try buy(in: shop, signer)
    }
}
