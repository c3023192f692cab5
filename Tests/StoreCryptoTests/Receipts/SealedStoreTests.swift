import Foundation
import StoreCore
import StoreCrypto
import TestSupport
import Testing

/// A store that seals its receipts like the App Store: what is in them, and for how long.
@Suite(.libcrypto) struct SealedStoreTests {
    private let shop: SignedShop

    init() throws { shop = try SignedShop() }

    private func bytes(_ identifier: UUID) -> Data { withUnsafeBytes(of: identifier.uuid) { Data($0) } }

    private func refresh(_ store: SandboxStore, _ properties: [String: Any]) {
        SKReceiptRefreshRequest(receiptProperties: properties, backend: store, delivery: .inline).start()
    }

    @Test func `A purchase of each kind is in the receipt, a consumable until it is finished`() throws {
        let queue = SKPaymentQueue(backend: shop.store, delivery: .inline)
        let app = KeepingObserver()
        queue.add(app)
        for product in ["sword", "castle", "lessons", "gold"] { queue.add(SKPayment(productIdentifier: product)) }
        let purchases = try shop.purchases()
        #expect(purchases.map(\.productIdentifier) == ["sword", "castle", "lessons", "gold"])
        #expect(purchases.map(\.kind) == [.consumable, .nonConsumable, .nonRenewing, .autoRenewable])
        #expect(purchases[3].subscription?.expirationDate == .start + 30 * .day)
        #expect(purchases.map(\.subscription?.webOrderLineItemIdentifier) == [nil, nil, nil, "4"])
        queue.transactions.forEach(queue.finishTransaction)
        #expect(try shop.purchases().map(\.productIdentifier) == ["castle", "lessons", "gold"])
    }

    @Test func `Renewals follow one another, and a refund has its date`() throws {
        try shop.store.account.buy("castle")
        try shop.store.account.buy("gold")
        shop.store.advance(by: 40 * .day)
        let renewed = try shop.purchases()
        #expect(renewed.map(\.originalTransactionIdentifier) == ["1", "2", "2"])
        #expect(renewed[2].originalPurchaseDate == renewed[1].purchaseDate)
        #expect(renewed.allSatisfy { $0.cancellationDate == nil })
        try shop.store.refund("1")
        let refunded = try shop.purchases()
        #expect(refunded[0].cancellationDate == shop.clock.now && refunded[1...] == renewed[1...])
    }

    @Test func `What the family shares is in the member's receipt`() throws {
        let bob = try shop.store.addAccount("bob")
        let tablet = try shop.store.addDevice("tablet", signedInTo: bob)
        _ = try shop.store.addFamily("smiths", organizer: shop.store.account).add(bob)
        try shop.store.account.buy("castle")
        let receipt = try shop.store.verify(appReceipt: #require(tablet.appReceipt))
        #expect(receipt.purchases.map(\.productIdentifier) == ["castle"])
        #expect(receipt.purchases.map(\.transactionIdentifier) != (try shop.purchases().map(\.transactionIdentifier)))
    }

    @Test func `A volume purchase shows in the environment, an expired or revoked receipt in its dates`() throws {
        refresh(shop.store, [SKReceiptPropertyIsVolumePurchase: true, SKReceiptPropertyIsExpired: true])
        let receipt = try shop.receipt()
        #expect(receipt.isVolumePurchase && receipt.expirationDate == .start && receipt.revocationDate == nil)
        let payload = try shop.signer.open(#require(shop.store.appReceipt)) { _ in .start }
        #expect(payload.firstRange(of: Data("ProductionVPPSandbox".utf8)) != nil)
        refresh(shop.store, [SKReceiptPropertyIsRevoked: true])
        #expect(try shop.receipt().revocationDate == .start && !shop.receipt().isVolumePurchase)
    }

    @Test func `The device's hash is SHA-1 over identifier, opaque value and encoded bundle identifier`() throws {
        // Computed with openssl dgst -sha1 over 16 zeros, 16 times ab, and 0c 0f com.example.app.
        let signer = try AppStoreSigner(CertificateAuthority(now: .start), clock: ManualClock(startingAt: .start))
        let hash = AppReceipt.empty.hash(forDevice: Data(count: 16), signer: signer)
        #expect(hash.map { String(format: "%02x", $0) }.joined() == "bd88839cddb5bebd5933ae365726cc3ab526c32d")
        // RFC 3174.
        let abc = signer.deviceHash(of: Data("abc".utf8))
        #expect(abc.map { String(format: "%02x", $0) }.joined() == "a9993e364706816aba3e25717850c26c9cd0d89d")
        // Without such a signer it is SHA-256, as ever.
        let other = AppReceipt.empty.hash(forDevice: Data(count: 16), signer: HMACReceiptSigner())
        #expect(other == AppReceipt.empty.deviceHash)

        let shop = try SignedShop()
        try shop.store.account.buy("castle")
        let receipt = try shop.receipt()
        let device = bytes(shop.store.device.identifierForVendor)
        #expect(receipt.deviceHash == receipt.hash(forDevice: device, signer: shop.signer))
        #expect(receipt.deviceHash.count == 20)
        let verifier = try AppStoreVerifier(root: shop.authority.rootCertificate)
        #expect(verifier.hash(of: receipt, forDevice: device) == receipt.deviceHash)
    }

    @Test func `The receipt is found in the context's file, and replaced when it grows`() throws {
        let context = StoreContext(backend: shop.store, delivery: .inline, log: .silent)
        #expect(context.appReceiptURL == nil)
        var sizes: [Int] = []
        for product in ["castle", "lessons", "gold"] {
            try shop.store.account.buy(product)
            let data = try Data(contentsOf: #require(context.appReceiptURL))
            #expect(try shop.store.verify(appReceipt: data).purchases.count == sizes.count + 1)
            sizes.append(data.count)
        }
        #expect(sizes == sizes.sorted())
        try shop.store.refund("1")
        let data = try Data(contentsOf: #require(context.appReceiptURL))
        #expect(try shop.store.verify(appReceipt: data).purchases.inOrder[0].cancellationDate == .start)
    }

    @Test func `Leaves are renewed by the clock, and what was signed before stays valid`() throws {
        let shop = try SignedShop(lifetimes: .init(leaf: 10 * .day))
        let queue = SKPaymentQueue(backend: shop.store, delivery: .inline)
        let app = KeepingObserver()
        queue.add(app)
        queue.add(SKPayment(productIdentifier: "castle"))
        let first = try #require(shop.store.appReceipt)
        let firstReceipt = try #require(app.receipts.first)
        let firstJWS = try shop.signer.jws(of: Data(#"{"transactionId":"1","signedDate":1748736000000}"#.utf8))
        let certificate = shop.signer.certificate
        shop.clock.advance(by: 9 * .day)
        #expect(shop.signer.certificate == certificate)
        shop.clock.advance(by: 9 * .day)
        #expect(shop.signer.certificate != certificate)
        queue.add(SKPayment(productIdentifier: "lessons"))
        let verifier = try AppStoreVerifier(root: shop.authority.rootCertificate)
        for data in [first, try #require(shop.store.appReceipt), Data(firstJWS.utf8)] + app.receipts + [firstReceipt] {
            #expect(throws: Never.self) { try verifier.verify(data, at: shop.clock.now) }
        }
        #expect(app.receipts.count == 2 && app.receipts.allSatisfy { shop.store.verify(receipt: $0).status == .valid })
        #expect(try shop.store.verify(appReceipt: first).purchases.count == 1)
    }

    @Test(arguments: [26.0, 100, 2000]) func `A store's authority lives as long as the store`(years: Double) throws {
        try shop.store.account.buy("castle")
        shop.clock.advance(by: years * 365 * .day)
        try shop.store.account.buy("lessons")
        #expect(try shop.purchases().map(\.productIdentifier) == ["castle", "lessons"])
        let jws = try shop.store.signedTransaction("2").jws
        let verifier = try AppStoreVerifier(root: shop.authority.rootCertificate)
        #expect(throws: Never.self) { try verifier.verify(Data(jws.utf8), at: shop.clock.now) }
    }

    @Test func `When the root is over nothing is signed, and the device has no receipt`() throws {
        let shop = try SignedShop(lifetimes: .init(root: 30 * .day))
        try shop.store.account.buy("castle")
        let receipt = try #require(shop.store.appReceipt)
        shop.clock.advance(by: 40 * .day)
        #expect(shop.store.appReceipt == nil && shop.signer.certificate.isEmpty)
        #expect(throws: CryptoError.self) { try shop.signer.jws(of: Data("{}".utf8)) }
        let verifier = try AppStoreVerifier(root: shop.authority.rootCertificate)
        #expect(throws: Never.self) { try verifier.verify(receipt, at: shop.clock.now) }
    }

    @Test func `Purchases by the thousand are sealed and opened`() throws {
        let count = rounds(1_000, thoroughly: 10_000)
        var receipt = AppReceipt.empty
        receipt.purchases = (0..<count).map { number in
            AppReceipt.Purchase(
                productIdentifier: "product \(number * 7919 % 100)",
                transactionIdentifier: String(number * 7919 % count),
                purchaseDate: .start + Double(number),
                kind: .nonConsumable
            )
        }
        let signer = try AppStoreSigner(CertificateAuthority(now: .start), clock: ManualClock(startingAt: .start))
        let data = try receipt.data(signedBy: signer)
        let payload = try PayloadAttributes(signer.open(data) { _ in .start })
        #expect(payload.areSorted)
        #expect(payload.attributes.count == count + 15)
        #expect(try AppReceipt(verifying: data, signer: signer).purchases.inOrder == receipt.purchases.inOrder)
    }
}

/// An observer that finishes nothing, and keeps the receipts of what was purchased.
private final class KeepingObserver: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: callbacks are inline, on the one thread of the test.
    private(set) var receipts: [Data] = []

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            if let receipt = transaction.transactionReceipt { receipts.append(receipt) }
        }
    }
}
