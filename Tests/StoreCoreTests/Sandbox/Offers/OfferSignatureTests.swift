import Foundation
import StoreCore
import TestSupport
import Testing

@Suite(.promptly) struct OfferSignatureTests {
    private let shop: OfferShop

    init() throws {
        shop = try OfferShop()
        try shop.subscribeElsewhere()
    }

    /// What a server signs for the shop's offer, now.
    private func payload(_ change: (inout PromotionalOfferPayload) -> Void = { _ in }) -> PromotionalOfferPayload {
        var payload = PromotionalOfferPayload(
            bundleIdentifier: "com.example.app",
            keyIdentifier: "key",
            productIdentifier: "gold",
            offerIdentifier: "winter",
            nonce: UUID(),
            timestamp: 1_735_689_600_000
        )
        change(&payload)
        return payload
    }

    @Test func `B148: Seven parts are signed, in their order, joined by U+2063, the nonce in lower case`() throws {
        let nonce = try #require(UUID(uuidString: "F00DCAFE-0000-4000-8000-ABCDEFABCDEF"))
        let payload = payload { payload in
            payload.bundleIdentifier = "com.Example.app"
            payload.keyIdentifier = "KEY"
            payload.productIdentifier = "Gold"
            payload.offerIdentifier = "Winter"
            payload.applicationUsername = "Ann"
            payload.nonce = nonce
        }
        let text = "com.Example.app|KEY|Gold|Winter|Ann|f00dcafe-0000-4000-8000-abcdefabcdef|1735689600000"
        #expect(payload.data == Data(text.replacingOccurrences(of: "|", with: "\u{2063}").utf8))
        #expect(payload.data.count == text.utf8.count + 12)
    }

    @Test func `B148: A payment without a user name is signed with an empty one`() throws {
        #expect(try shop.bought("gold", under: payload().signed(by: shop.signer))?.transactionState == .purchased)
    }

    @Test func `B148: The user name is part of what is signed`() throws {
        func sign() throws -> StoreDiscount { try payload { $0.applicationUsername = "ann" }.signed(by: shop.signer) }
        #expect(try shop.bought("gold", under: sign(), for: "bob")?.trouble == .storeKit(.invalidSignature))
        #expect(try shop.bought("gold", under: sign(), for: "ann")?.transactionState == .purchased)
    }

    @Test(arguments: [false, true])
    func `B148: A user name that is a UUID may be signed in lower case`(isLowerCase: Bool) throws {
        let token = UUID().uuidString
        let name = isLowerCase ? token.lowercased() : token
        let discount = try payload { $0.applicationUsername = name }.signed(by: shop.signer)
        #expect(shop.bought("gold", under: discount, for: token)?.transactionState == .purchased)
    }

    private enum Part: CaseIterable { case bundle, product, offer, nonce, timestamp, key, text, nothing }

    @Test(arguments: Part.allCases)
    private func `B148, B150: A signature for anything else is invalid, and nothing is charged`(part: Part) throws {
        let before = try shop.charged
        var discount = try payload { payload in
            switch part {
            case .bundle: payload.bundleIdentifier = "com.example.other"
            case .product: payload.productIdentifier = "silver"
            case .offer: payload.offerIdentifier = "quarter"
            default: break
            }
        }.signed(by: part == .key ? HMACOfferSigner(keyIdentifier: "key", key: Data([1])) : shop.signer)
        discount.identifier = "winter"
        switch part {
        case .nonce: discount.nonce = UUID()
        case .timestamp: discount.timestamp += 1
        case .text: discount.signature = "no Base64!"
        default: break
        }
        shop.buy("gold", under: discount)
        let isSound = part == .nothing
        #expect(shop.lastTrouble == (isSound ? nil : .storeKit(.invalidSignature)))
        #expect(try shop.charged == before + (isSound ? OfferShop.price("0.99") : 0))
    }

    @Test func `B148: A key that the store does not know signs nothing, and one taken away no longer`() throws {
        let other = HMACOfferSigner(keyIdentifier: "other", key: Data([1]))
        shop.buy("gold", under: try payload { $0.keyIdentifier = "other" }.signed(by: other))
        #expect(shop.lastTrouble == .storeKit(.invalidSignature))
        #expect(shop.app.recorder.transactions.last?.reason?.contains("\"other\"") == true)
        shop.store.offerSigners = [other]
        shop.buy("gold", under: try payload().signed(by: shop.signer))
        #expect(shop.lastTrouble == .storeKit(.invalidSignature))
        shop.buy("gold", under: try payload { $0.keyIdentifier = "other" }.signed(by: other))
        #expect(shop.lastState == .purchased)
        shop.store.offerSigners = []
        #expect(throws: StoreFailure.self) { try shop.store.signedOffer("winter", for: "gold") }
    }

    @Test(arguments: [(86_399_999, true), (86_400_000, false), (-86_399_999, true), (-86_400_000, false)])
    func `B149: A signature serves within 24 hours of the store's clock`(milliseconds: Int64, isGood: Bool) throws {
        shop.buy("gold", under: try payload { $0.timestamp -= milliseconds }.signed(by: shop.signer))
        #expect(shop.lastTrouble == (isGood ? nil : .storeKit(.invalidSignature)))
        #expect(shop.lastState == (isGood ? .purchased : .failed))
    }

    @Test func `B149: A nonce and its signature serve one payment, for whoever pays`() throws {
        let discount = try payload().signed(by: shop.signer)
        #expect(shop.bought("gold", under: discount)?.transactionState == .purchased)
        let before = try shop.charged
        #expect(shop.bought("gold", under: discount)?.trouble == .storeKit(.invalidSignature))
        #expect(shop.app.recorder.transactions.last?.reason?.contains("nonce") == true)
        #expect(try shop.charged == before)

        let bob = try shop.store.addAccount("bob")
        let app = App(on: try shop.store.addDevice("bob's", signedInTo: bob), buying: "news")
        shop.buy("gold", under: discount, on: app)
        #expect(app.recorder.transactions.last?.trouble == .storeKit(.invalidSignature))
    }

    @Test func `B149: A payment that fails uses its nonce up`() throws {
        let discount = try payload().signed(by: shop.signer)
        try shop.store.setPaymentsAllowed(false)
        #expect(shop.bought("gold", under: discount)?.trouble == .storeKit(.paymentNotAllowed))
        try shop.store.setPaymentsAllowed(true)
        #expect(shop.bought("gold", under: discount)?.trouble == .storeKit(.invalidSignature))
    }

    @Test func `B149: Two payments of one submission cannot share a nonce`() throws {
        let payment = SKMutablePayment(productIdentifier: "gold")
        payment.paymentDiscount = SKPaymentDiscount(try payload().signed(by: shop.signer))
        shop.store.isReachable = false
        shop.app.queue.add(payment)
        shop.app.queue.add(payment)
        shop.store.isReachable = true
        shop.store.advance(by: 3600)
        let last = shop.app.recorder.transactions.suffix(2)
        #expect(last.map(\.transactionState) == [.purchased, .failed])
        #expect(last.map(\.trouble) == [nil, .storeKit(.invalidSignature)])
    }

    @Test func `B149: A store opened again on its ledger knows the nonces that were used`() throws {
        let discount = try payload().signed(by: shop.signer)
        #expect(shop.bought("gold", under: discount)?.transactionState == .purchased)
        let after = try OfferShop(ledger: shop.market.ledger)
        #expect(after.bought("gold", under: discount)?.trouble == .storeKit(.invalidSignature))
        #expect(try after.bought("gold", under: payload().signed(by: after.signer))?.transactionState == .purchased)
    }

    @Test func `B150: After a failure a new signature and a new payment buy`() throws {
        var discount = try payload().signed(by: shop.signer)
        discount.signature = Data(repeating: 0, count: 32).base64EncodedString()
        #expect(shop.bought("gold", under: discount)?.trouble == .storeKit(.invalidSignature))
        #expect(try shop.bought("gold", under: "winter")?.transactionState == .purchased)
    }

    @Test func `A signer shows nothing of its key`() {
        let signer = HMACOfferSigner(keyIdentifier: "key", key: Data("a secret".utf8))
        var text = ""
        dump(signer, to: &text)
        #expect(!(text + String(reflecting: signer) + "\(signer)").contains("secret"))
        #expect(!text.contains("hmac"))
        #expect("\(signer)".contains("key"))
    }

    @Test func `Two signers with random keys do not know each other's signatures`() {
        let message = Data("message".utf8)
        let (one, other) = (HMACOfferSigner(), HMACOfferSigner())
        #expect(one.isValid(signature: one.sign(message), for: message))
        #expect(!other.isValid(signature: one.sign(message), for: message))
    }

    @Test func `A signer without a key or a name for it stops the process`() async throws {
        let key = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = HMACOfferSigner(key: Data())
        }
        #expect(said(key).contains("at least one byte"))
        let name = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = HMACOfferSigner(keyIdentifier: "")
        }
        #expect(said(name).contains("identifier"))
    }
}
