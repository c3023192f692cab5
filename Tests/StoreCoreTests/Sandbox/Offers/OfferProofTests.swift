import Foundation
import StoreCore
import Testing

/// The proofs of signed offers, as JWS.
@Suite struct OfferProofTests {
    private let shop: OfferShop
    /// F00DCAFE-0000-4000-8000-ABCDEFABCDEF.
    private let nonce = UUID(uuid: (0xF0, 0x0D, 0xCA, 0xFE, 0, 0, 0x40, 0, 0x80, 0, 0xAB, 0xCD, 0xEF, 0xAB, 0xCD, 0xEF))

    init() throws {
        shop = try OfferShop()
        try shop.subscribeElsewhere()
    }

    /// What a server claims for the shop's offer, now.
    private func claims(_ change: (inout OfferClaims) -> Void = { _ in }) -> OfferClaims {
        var claims = OfferClaims(
            bundleIdentifier: "com.example.app",
            productIdentifier: "gold",
            grant: .promotionalOffer("winter"),
            nonce: UUID(),
            issuedAt: 1_735_689_600
        )
        change(&claims)
        return claims
    }

    /// Orders under the offer with this proof and returns what came of it.
    @discardableResult
    private func order(_ proof: String, in other: OfferShop? = nil) -> SKPaymentTransaction? {
        (other ?? shop).ordered("gold", under: StoreOffer(kind: .promotional, identifier: "winter", proof: proof))
    }

    /// Returns a part of a JWS in plain text.
    private func text(_ number: Int, of jws: String) throws -> String {
        let parts = jws.split(separator: ".")
        let base64 = try #require(parts.dropFirst(number).first).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
        return String(decoding: try #require(Data(base64Encoded: base64 + padding)), as: UTF8.self)
    }

    // MARK: Claims

    @Test func `The claims of a promotional offer have the App Store's names`() throws {
        let jws = try claims { claims in
            claims.nonce = nonce
            claims.transactionIdentifier = "2000"
            claims.issuer = "57246542"
        }.signed(by: shop.signer)
        #expect(jws.split(separator: ".").count == 3)
        #expect(try text(0, of: jws) == #"{"alg":"HS256","kid":"key","typ":"JWT"}"#)
        let expected = """
            {"aud":"promotional-offer","bid":"com.example.app","iat":1735689600,"iss":"57246542",\
            "nonce":"f00dcafe-0000-4000-8000-abcdefabcdef","offerIdentifier":"winter","productId":"gold",\
            "transactionId":"2000"}
            """
        #expect(try text(1, of: jws) == expected)
    }

    @Test(arguments: [false, true])
    func `The claims of eligibility have the App Store's names`(isAllowed: Bool) throws {
        let jws = try claims { claims in
            claims.nonce = nonce
            claims.grant = .introductoryOffer(isAllowed: isAllowed)
        }.signed(by: shop.signer)
        let expected = """
            {"allowIntroductoryOffer":\(isAllowed),"aud":"introductory-offer-eligibility","bid":"com.example.app",\
            "iat":1735689600,"nonce":"f00dcafe-0000-4000-8000-abcdefabcdef","productId":"gold"}
            """
        #expect(try text(1, of: jws) == expected)
        let decoded = try JSONDecoder().decode(OfferClaims.self, from: Data(expected.utf8))
        #expect(decoded.grant == .introductoryOffer(isAllowed: isAllowed))
        #expect(decoded.nonce == nonce)
    }

    @Test func `A published HS256 signature is one of its key's`() throws {
        // RFC 7515, A.1.
        let key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ+EstJQLr/T+1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow=="
        let input = """
            eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\
            eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ
            """
        let signature = try #require(Data(base64Encoded: "dBjftJeZ4CVP+mB92K27uhbUJU1p1r/wW1gFWFOEjXk="))
        let signer = HMACOfferSigner(keyIdentifier: "key", key: try #require(Data(base64Encoded: key)))
        #expect(signer.jwsAlgorithm == "HS256" && signer.jwsSignature(of: Data(input.utf8)) == signature)
        #expect(signer.isValid(jwsSignature: signature, of: Data(input.utf8)))
        #expect(!signer.isValid(jwsSignature: signature, of: Data(input.utf8) + [0]))
        #expect(!signer.isValid(jwsSignature: signature.dropLast(), of: Data(input.utf8)))
    }

    // MARK: What a store accepts

    @Test func `A promotional offer is sold against its proof`() throws {
        let before = try shop.charged
        let proof = try shop.store.compactJWS(for: .promotionalOffer("winter"), of: "gold")
        #expect(order(proof)?.transactionState == .purchased)
        #expect(shop.metals?.offer?.kind == .promotional && shop.metals?.offer?.identifier == "winter")
        #expect(try shop.charged == before + OfferShop.price("0.99"))
    }

    private enum Part: CaseIterable {
        case bundle, product, offer, audience, key, keyName, algorithm, claims, signature, nothing
    }

    @Test(arguments: Part.allCases)
    private func `A proof of anything else is invalid, and nothing is charged`(part: Part) throws {
        let before = try shop.charged
        let claims = claims { claims in
            switch part {
            case .bundle: claims.bundleIdentifier = "com.example.other"
            case .product: claims.productIdentifier = "silver"
            case .offer: claims.grant = .promotionalOffer("quarter")
            case .audience: claims.grant = .introductoryOffer(isAllowed: true)
            default: break
            }
        }
        let signer: any OfferSigner =
            switch part {
            case .key: HMACOfferSigner(keyIdentifier: "key", key: Data([1]))
            case .keyName: HMACOfferSigner(keyIdentifier: "other", key: Data("a secret".utf8))
            case .algorithm: Misnamer(signer: shop.signer, jwsAlgorithm: "none")
            default: shop.signer
            }
        var parts = try claims.signed(by: signer).split(separator: ".").map(String.init)
        switch part {
        case .claims:
            let other = try self.claims { $0.transactionIdentifier = "1" }.signed(by: shop.signer)
            parts[1] = String(other.split(separator: ".")[1])
        case .signature: parts[2] = String(parts[2].reversed())
        default: break
        }
        let isSound = part == .nothing
        let trouble = order(parts.joined(separator: "."))?.trouble
        #expect(trouble == (isSound ? nil : .storeKit(.invalidSignature)))
        #expect(try shop.charged == before + (isSound ? OfferShop.price("0.99") : 0))
    }

    @Test(arguments: ["", "a", "a.b", "a.b.c", "..", "e30.e30.", String(repeating: "a", count: 20_000)])
    func `What is no proof is refused with a sentence`(text: String) {
        #expect(order(text)?.trouble == .storeKit(.invalidSignature))
        #expect(shop.app.recorder.transactions.last?.reason?.contains("JWS") == true)
    }

    @Test(arguments: [".", ".e30", "=", " "]) func `A proof has nothing behind its signature`(rest: String) throws {
        #expect(try order(claims().signed(by: shop.signer) + rest)?.trouble == .storeKit(.invalidSignature))
    }

    @Test(arguments: [(86_399, true), (86_400, false), (-86_399, true), (-86_400, false)])
    func `A proof serves within 24 hours of the store's clock`(seconds: Int64, isGood: Bool) throws {
        order(try claims { $0.issuedAt -= seconds }.signed(by: shop.signer))
        #expect(shop.lastTrouble == (isGood ? nil : .storeKit(.invalidSignature)))
    }

    @Test(arguments: [Int64.min, .max]) func `A proof from the end of all time is refused`(seconds: Int64) throws {
        order(try claims { $0.issuedAt = seconds }.signed(by: shop.signer))
        #expect(shop.lastTrouble == .storeKit(.invalidSignature))
    }

    @Test func `A nonce serves one payment, in a proof or in a discount`() throws {
        let nonce = UUID()
        #expect(try order(claims { $0.nonce = nonce }.signed(by: shop.signer))?.transactionState == .purchased)
        #expect(try order(claims { $0.nonce = nonce }.signed(by: shop.signer))?.trouble == .storeKit(.invalidSignature))
        #expect(shop.app.recorder.transactions.last?.reason?.contains("nonce") == true)
        shop.buy("gold", under: try shop.store.signedOffer("winter", for: "gold", nonce: nonce))
        #expect(shop.lastTrouble == .storeKit(.invalidSignature))
    }

    @Test func `A store opened again on its ledger knows the nonces of proofs`() throws {
        let proof = try claims().signed(by: shop.signer)
        #expect(order(proof)?.transactionState == .purchased)
        #expect(try order(proof, in: OfferShop(ledger: shop.market.ledger))?.trouble == .storeKit(.invalidSignature))
    }

    @Test func `An offer that the product does not have is refused before its proof is looked at`() throws {
        let proof = try claims { $0.grant = .promotionalOffer("nothing") }.signed(by: shop.signer)
        let offer = StoreOffer(kind: .promotional, identifier: "nothing", proof: proof)
        #expect(shop.ordered("gold", under: offer)?.trouble == .storeKit(.invalidOfferIdentifier))
    }

    @Test func `A store that accepts test purchases refuses a false proof all the same`() throws {
        shop.store.acceptsTestPurchases = true
        order(try claims().signed(by: HMACOfferSigner(keyIdentifier: "key", key: Data([1]))))
        #expect(shop.lastTrouble == .storeKit(.invalidSignature))
    }

    // MARK: Signers

    @Test func `A signer of discounts alone signs no proof, and accepts none`() throws {
        let plain = Plain(signer: shop.signer)
        #expect(throws: StoreFailure.self) { try claims().signed(by: plain) }
        #expect(throws: StoreFailure.self) { try plain.jwsSignature(of: Data()) }
        let proof = try claims().signed(by: shop.signer)
        shop.store.offerSigners = [plain]
        #expect(order(proof)?.trouble == .storeKit(.invalidSignature))
        shop.store.offerSigners = []
        #expect(throws: StoreFailure.self) { try shop.store.compactJWS(for: .promotionalOffer("winter"), of: "gold") }
    }
}

/// A signer of before there were proofs.
private struct Plain: OfferSigner {
    let signer: HMACOfferSigner
    var keyIdentifier: String { signer.keyIdentifier }
    func sign(_ message: Data) -> Data { signer.sign(message) }
    func isValid(signature: Data, for message: Data) -> Bool { signer.isValid(signature: signature, for: message) }
}

/// A signer whose proofs name another algorithm than theirs.
private struct Misnamer: OfferSigner {
    let signer: HMACOfferSigner
    let jwsAlgorithm: String?
    var keyIdentifier: String { signer.keyIdentifier }
    func sign(_ message: Data) -> Data { signer.sign(message) }
    func isValid(signature: Data, for message: Data) -> Bool { signer.isValid(signature: signature, for: message) }
    func jwsSignature(of input: Data) -> Data { signer.jwsSignature(of: input) }
}
