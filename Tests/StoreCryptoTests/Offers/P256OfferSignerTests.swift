import Foundation
import StoreCore
import StoreCrypto
import TestSupport
import Testing

@Suite(.libcrypto) struct P256OfferSignerTests {
    private static func signer(_ identifier: String = "key") throws -> P256OfferSigner {
        try P256OfferSigner(keyIdentifier: identifier, privateKey: Vector.privateKey)
    }

    @Test func `B148: A published signature is one of its key's, and of no other message or key`() throws {
        let signer = try Self.signer()
        #expect(signer.isValid(signature: Vector.signature, for: Vector.message))
        #expect(!signer.isValid(signature: Vector.signature, for: Vector.message + [0]))
        #expect(!(try P256OfferSigner(keyIdentifier: "key")).isValid(signature: Vector.signature, for: Vector.message))
    }

    @Test func `No bit of a signature may be another`() throws {
        let signer = try Self.signer()
        for bit in 0..<Vector.signature.count * 8 {
            var signature = Vector.signature
            signature[bit / 8] ^= 1 << (bit % 8)
            #expect(!signer.isValid(signature: signature, for: Vector.message), "bit \(bit)")
        }
        for count in 0..<Vector.signature.count {
            #expect(!signer.isValid(signature: Vector.signature.prefix(count), for: Vector.message))
        }
        #expect(!signer.isValid(signature: Vector.signature + [0], for: Vector.message))
    }

    @Test(arguments: [0, 1, 100_000]) func `B148: What a key signs, it and its public half verify`(count: Int) throws {
        let message = Data(repeating: 7, count: count)
        let signer = try P256OfferSigner(keyIdentifier: "key")
        let signature = try signer.sign(message)
        #expect(signature.first == 0x30)
        #expect((64...72).contains(signature.count))
        #expect(signer.isValid(signature: signature, for: message))
        let half = try P256OfferSigner(keyIdentifier: "key", publicKey: signer.publicKey)
        #expect(half.isValid(signature: signature, for: message))
        #expect(!half.isValid(signature: signature, for: message + [1]))
        #expect(throws: CryptoError.self) { try half.sign(message) }
    }

    @Test func `A key is read from DER and from PEM, in PKCS 8 and the older form, and knows its public half`() throws {
        let signers = [
            try Self.signer(),
            try P256OfferSigner(keyIdentifier: "key", pem: Vector.privatePEM),
            try P256OfferSigner(keyIdentifier: "key", pem: Vector.olderPEM),
            try P256OfferSigner(keyIdentifier: "key", pem: Vector.publicPEM),
            try P256OfferSigner(keyIdentifier: "key", publicKey: Vector.publicKey),
            try P256OfferSigner(
                keyIdentifier: "key",
                pem: "Bag\r\n" + Vector.privatePEM.replacing("\n", with: "\r\n") + "\r\n"
            ),
        ]
        for signer in signers { #expect(signer.publicKey == Vector.publicKey) }
    }

    @Test func `What is no key on P-256 is refused with a sentence`() throws {
        let key = Vector.privateKey
        for data in [Data(), Data([0x30]), key.dropLast(), key + [0], Vector.publicKey, Vector.otherCurve] {
            #expect(throws: CryptoError.self) { try P256OfferSigner(keyIdentifier: "key", privateKey: data) }
        }
        let other = Vector.otherCurve
        let curve = #expect(throws: CryptoError.self) { try P256OfferSigner(keyIdentifier: "key", privateKey: other) }
        #expect(curve?.description.contains("P-256") == true)
        for data in [Data(), key, Vector.publicKey.dropLast(), Vector.publicKey + [0]] {
            #expect(throws: CryptoError.self) { try P256OfferSigner(keyIdentifier: "key", publicKey: data) }
        }
        let pems = [
            "", "a key", String(Vector.privatePEM.dropLast(30)),
            "-----BEGIN PUBLIC KEY-----\n!\n-----END PUBLIC KEY-----",
            Vector.privatePEM.replacing("PRIVATE", with: "ENCRYPTED PRIVATE"),
            Vector.publicPEM.replacing("PUBLIC", with: "PRIVATE"),
        ]
        for pem in pems { #expect(throws: CryptoError.self) { try P256OfferSigner(keyIdentifier: "key", pem: pem) } }
        #expect(throws: CryptoError.self) { try Self.signer("") }
    }

    @Test func `B148: The key of a storekit file signs offers that its store sells`() throws {
        let text = """
            {
              "identifier" : "0A1B2C3D", "products" : [], "version" : { "major" : 4, "minor" : 0 },
              "subscriptionGroups" : [ { "id" : "metals", "name" : "Metals", "subscriptions" : [ {
                "productID" : "gold", "type" : "RecurringSubscription", "displayPrice" : "4.99",
                "recurringSubscriptionPeriod" : "P1M", "groupNumber" : 1, "subscriptionGroupID" : "metals",
                "adHocOffers" : [ { "offerID" : "winter", "referenceName" : "Winter", "paymentMode" : "payUpFront",
                  "subscriptionPeriod" : "P3M", "displayPrice" : "9.99" } ] } ] } ],
              "subscriptionOffersKeyPair" : { "id" : "ABC123", "privateKey" : "\(Vector.privateKey.base64EncodedString())" }
            }
            """
        let file = try StoreConfiguration(data: Data(text.utf8), name: "offers")
        let store = try SandboxStore(file)
        let signer = try P256OfferSigner(try #require(file.subscriptionOffersKeyPair))
        #expect(signer.keyIdentifier == "ABC123")
        store.offerSigners = [signer]
        let queue = SKPaymentQueue(backend: store, delivery: .inline)
        let till = Till()
        queue.add(till)
        queue.add(SKPayment(productIdentifier: "gold"))
        try store.account.setAutoRenew(false, inGroup: "metals")
        store.advance(by: 40 * 86_400)

        let payment = SKMutablePayment(productIdentifier: "gold")
        payment.paymentDiscount = SKPaymentDiscount(try store.signedOffer("winter", for: "gold"))
        queue.add(payment)
        #expect(till.codes == [])
        #expect(store.account.subscriptions.first?.offer?.identifier == "winter")

        let other = try P256OfferSigner(keyIdentifier: "ABC123")
        let payload = PromotionalOfferPayload(
            bundleIdentifier: "com.example.app",
            keyIdentifier: "ABC123",
            productIdentifier: "gold",
            offerIdentifier: "winter",
            nonce: UUID(),
            timestamp: Int64(store.clock.now.timeIntervalSince1970 * 1000)
        )
        payment.paymentDiscount = SKPaymentDiscount(try payload.signed(by: other))
        queue.add(payment)
        #expect(till.codes == [.invalidSignature])
    }

    @Test func `A published ES256 signature is one of its key's, and of no other input`() throws {
        // RFC 7515, A.3.
        let pem = """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
            6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
            -----END PUBLIC KEY-----
            """
        let text = """
            eyJhbGciOiJFUzI1NiJ9.\
            eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ
            """
        let base64 = "DtEhU3ljbEg8L38VWAfUAqOyKAM6+Xx+F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3+Kg6NU1Q=="
        let (input, signature) = (Data(text.utf8), try #require(Data(base64Encoded: base64)))
        let signer = try P256OfferSigner(keyIdentifier: "key", pem: pem)
        #expect(signer.jwsAlgorithm == "ES256" && signer.isValid(jwsSignature: signature, of: input))
        #expect(!signer.isValid(jwsSignature: signature, of: input + [0]))
        #expect(!signer.isValid(jwsSignature: signature + [0], of: input))
        for count in 0..<signature.count { #expect(!signer.isValid(jwsSignature: signature.prefix(count), of: input)) }
    }

    @Test func `In a JWS a signature is 64 bytes, and not in DER`() throws {
        let (signer, input) = (try Self.signer(), Data("header.payload".utf8))
        for _ in 0..<32 {
            let signature = try signer.jwsSignature(of: input)
            #expect(signature.count == 64)
            #expect(signer.isValid(jwsSignature: signature, of: input))
        }
        #expect(!signer.isValid(jwsSignature: try signer.sign(input), of: input))
        let half = try P256OfferSigner(keyIdentifier: "key", publicKey: signer.publicKey)
        #expect(throws: CryptoError.self) { try half.jwsSignature(of: input) }
    }

    @Test func `A store sells against a proof in ES256, and not against another key's or algorithm's`() throws {
        let signer = try Self.signer()
        let store = try SandboxStore(products: [
            .autoRenewable(
                "gold",
                price: "4.99",
                period: .init(1, .month),
                group: "metals",
                introductoryOffer: .freeTrial(.init(1, .week))
            )
        ])
        store.offerSigners = [signer]
        let proof = try store.compactJWS(for: .introductoryOffer(isAllowed: false), of: "gold")
        let secret = HMACOfferSigner(keyIdentifier: "key", key: signer.publicKey)
        let forged = try claims(at: store.clock.now).signed(by: secret)
        let other = try claims(at: store.clock.now).signed(by: P256OfferSigner(keyIdentifier: "key"))
        for (number, text) in [forged, other, proof].enumerated() {
            var payment = StorePayment(productIdentifier: "gold")
            payment.offer = StoreOffer(kind: .noIntroductory, proof: text)
            let order = OrderID(journal: JournalID(rawValue: 1), number: number + 1)
            store.submit([StoreCommand(id: order, action: .purchase(payment))]) { #expect($0 == .taken) }
        }
        let transactions = try store.account.transactions
        #expect(transactions.map(\.state) == [.failed, .failed, .purchased])
        let invalid: Int? = SKError.Code.invalidSignature.rawValue
        #expect(transactions.map { $0.failure?.code } == [invalid, invalid, nil])
        #expect(try store.account.totalCharged == Decimal(string: "4.99"))
    }

    private func claims(at date: Date) -> OfferClaims {
        OfferClaims(
            bundleIdentifier: "com.example.app",
            productIdentifier: "gold",
            grant: .introductoryOffer(isAllowed: true),
            nonce: UUID(),
            issuedAt: Int64(date.timeIntervalSince1970)
        )
    }

    @Test func `A signer shows nothing of its key`() throws {
        let signer = try Self.signer("ABC123")
        var text = ""
        dump(signer, to: &text)
        #expect("\(signer)" == "P256OfferSigner ABC123")
        #expect(!text.contains("SignatureContext"))
    }

    @Test func `Threads may share a signer`() async throws {
        let signer = try P256OfferSigner(keyIdentifier: "key")
        let areValid = try await inTasks(64) { number in
            let message = Data("message \(number)".utf8)
            return signer.isValid(signature: try signer.sign(message), for: message)
        }
        #expect(areValid == [true])
    }
}

@Suite(.libcrypto, .openSSL) struct OpenSSLTests {
    @Test func `B148: The openssl tool verifies what a signer signs`() throws {
        let signer = try P256OfferSigner(keyIdentifier: "key")
        let message = Data("what is signed".utf8)
        let tool = try OpenSSL()
        try tool.write(signer.publicKey, to: "public.der")
        try tool.write(message, to: "message")
        try tool.write(try signer.sign(message), to: "signature")
        let verify = try tool.run("dgst -sha256 -verify public.der -keyform DER -signature signature message")
        #expect(verify.isSuccess && verify.output.contains("Verified OK"))
    }

    @Test func `B148: A signer reads a key that the openssl tool made, and verifies what it signed`() throws {
        let tool = try OpenSSL()
        try tool.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem")
        try tool.write(Vector.message, to: "message")
        try tool.run("dgst -sha256 -sign key.pem -out signature message")
        let pem = String(decoding: try tool.read("key.pem"), as: UTF8.self)
        let signer = try P256OfferSigner(keyIdentifier: "key", pem: pem)
        #expect(signer.isValid(signature: try tool.read("signature"), for: Vector.message))
        #expect(!signer.isValid(signature: try tool.read("signature"), for: Data("another".utf8)))
    }
}

/// An observer that finishes everything and keeps the codes of failures.
private final class Till: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: callbacks are inline, on the one thread of the test.
    private(set) var codes: [SKError.Code] = []

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState != .purchasing {
            if let error = transaction.error as? SKError { codes.append(error.code) }
            queue.finishTransaction(transaction)
        }
    }
}
