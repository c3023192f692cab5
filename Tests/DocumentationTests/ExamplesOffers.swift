// The code of the article "Offers", compiled and run.
import Foundation
import StoreCore
import StoreCrypto
import StoreKit
import Testing

private func shop() throws -> (SandboxStore, SKPaymentQueue, Till) {
    let store = try SandboxStore(products: [
        .autoRenewable(
            "pro.monthly",
            price: "4.99",
            period: .monthly,
            group: "pro",
            introductoryOffer: .freeTrial(.weeks(1)),
            promotionalOffers: [.payUpFront(price: "9.99", for: .months(3), identifier: "winter")],
            offerCodes: [.freeTrial(.months(1), identifier: "FRIENDS", eligibility: .new)],
            winBackOffers: [.freeTrial(.months(1), identifier: "come.back")]
        )
    ])
    let queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
    let till = Till()
    queue.add(till)
    return (store, queue, till)
}

@Test func `A promotional offer is sold against a signature, once`() throws {
    let (store, queue, till) = try shop()
    queue.add(SKPayment(productIdentifier: "pro.monthly"))
    try store.account.setAutoRenew(false, inGroup: "pro")
    store.advance(by: 60 * 86_400)

    let payment = SKMutablePayment(productIdentifier: "pro.monthly")
    payment.paymentDiscount = SKPaymentDiscount(try store.signedOffer("winter", for: "pro.monthly"))

    queue.add(payment)
    #expect(store.account.subscriptions.first?.offer?.identifier == "winter")

    let again = SKMutablePayment(productIdentifier: "pro.monthly")
    again.paymentDiscount = payment.paymentDiscount
    queue.add(again)
    #expect((till.errors.last as? SKError)?.code == .invalidSignature)
}

@Test func `What a server signs is put together from the payment`() {
    let payload = PromotionalOfferPayload(
        bundleIdentifier: "com.example.app",
        keyIdentifier: "ABC123",
        productIdentifier: "pro.monthly",
        offerIdentifier: "winter",
        nonce: UUID(),
        timestamp: 1_735_689_600_000
    )
    #expect(String(decoding: payload.data, as: UTF8.self).hasPrefix("com.example.app\u{2063}ABC123\u{2063}"))
}

@Test func `What a server claims is signed as a JWS`() throws {
    let signer = HMACOfferSigner(keyIdentifier: "ABC123")
    let claims = OfferClaims(
        bundleIdentifier: "com.example.app",
        productIdentifier: "pro.monthly",
        grant: .promotionalOffer("winter"),
        nonce: UUID(),
        issuedAt: 1_735_689_600
    )
    let proof = try claims.signed(by: signer)
    #expect(proof.split(separator: ".").count == 3)
}

@Test func `An offer of Store Kit 2 is sold against a proof`() throws {
    let (store, queue, till) = try shop()
    queue.add(SKPayment(productIdentifier: "pro.monthly"))
    try store.account.setAutoRenew(false, inGroup: "pro")
    store.advance(by: 60 * 86_400)

    let proof = try store.compactJWS(for: .promotionalOffer("winter"), of: "pro.monthly")
    var payment = StorePayment(productIdentifier: "pro.monthly")
    payment.offer = StoreOffer(kind: .promotional, identifier: "winter", proof: proof)

    let order = OrderID(journal: JournalID(rawValue: 1), number: 1)
    store.submit([StoreCommand(id: order, action: .purchase(payment))]) { #expect($0 == .taken) }
    #expect(store.account.subscriptions.first?.offer?.identifier == "winter")
    #expect(till.errors.isEmpty)
}

@Test func `A promotional offer of Store Kit 2 is bought with the server's signature`() async throws {
    let (store, _, _) = try shop()
    try store.account.buy("pro.monthly")
    try await StoreContext(backend: store, delivery: .inline).run {
        let pro = try #require(try await Product.products(for: ["pro.monthly"]).first)
        // What the app's server answers when the app asks it for the offer.
        let compactJWS = try store.compactJWS(for: .promotionalOffer("winter"), of: "pro.monthly")

        let offer = Product.PurchaseOption.promotionalOffer("winter", compactJWS: compactJWS)
        _ = try await pro.purchase(options: Set(offer))
        #expect(store.account.subscriptions.first?.waitingOffer?.identifier == "winter")
    }
}

@Test(.enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice)))
func `A store takes the keys of Xcode's file and of a server`() throws {
    let (store, _, _) = try shop()
    let key = """
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFXZ7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6\
        JVqdMclh63TGNW1owEm4kjth+mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
        """
    let content = Data(
        #"{"version":{"major":4,"minor":0},"subscriptionOffersKeyPair":{"id":"ABC123","privateKey":"\#(key)"}}"#.utf8
    )
    let file = try StoreConfiguration(data: content, name: "Store.storekit")
    let xcode = try SandboxStore(file, bundleIdentifier: "com.example.app")
    if let keyPair = file.subscriptionOffersKeyPair { xcode.offerSigners = [try P256OfferSigner(keyPair)] }
    #expect(xcode.offerSigners.map(\.keyIdentifier) == ["ABC123"])

    let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7
        Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==
        -----END PUBLIC KEY-----
        """
    store.offerSigners = [try P256OfferSigner(keyIdentifier: "ABC123", pem: publicKey)]
    #expect(throws: CryptoError.self) { try store.signedOffer("winter", for: "pro.monthly") }

    let signer = try P256OfferSigner(keyIdentifier: "ABC123")
    store.offerSigners = [signer]
    #expect(try store.signedOffer("winter", for: "pro.monthly").keyIdentifier == "ABC123")
}

@Test func `A code for a product that does not renew leads to a purchase`() throws {
    let store = try SandboxStore(products: [
        .consumable("coins", price: "0.99").redeemable(with: "GIFT", price: "0", eligibility: .new)
    ])
    let transaction = try store.account.redeem(code: "GIFT")
    let payload = try store.signedTransaction(transaction).payload
    #expect(payload.offerType == .code && payload.offerIdentifier == "GIFT")
    #expect(payload.offerDiscountType == .oneTime && payload.price == 0)
}

@Test func `A code leads to a purchase, and a win-back offer brings a user back`() throws {
    let (store, queue, till) = try shop()
    store.codeEntry = .redeem(code: "FRIENDS")
    queue.presentCodeRedemptionSheet()
    #expect(till.delivered == ["pro.monthly"])

    try store.account.setAutoRenew(false, inGroup: "pro")
    store.advance(by: 60 * 86_400)
    try store.account.redeemWinBackOffer("come.back", of: "pro.monthly")
    #expect(store.account.subscriptions.first?.offer?.kind == .winBack)
}
