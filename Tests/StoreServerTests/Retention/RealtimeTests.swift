import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

/// A subscriber is about to cancel, and the app's server chooses what to show.
@Suite(.libcrypto) struct RealtimeTests {
    private static let month = StoreProduct.Period(1, .month)
    private let clock = ManualClock()
    private let store: SandboxStore
    private let transport = AnsweringTransport()
    private let client: RealtimeClient
    private let message = RetentionMessage(
        identifier: UUID(uuidString: "00000000-0000-4000-8000-000000000001")!,
        header: "Stay",
        body: "It goes on."
    )
    private let other = RetentionMessage(
        identifier: UUID(uuidString: "00000000-0000-4000-8000-000000000002")!,
        header: "Anyway",
        body: "By default."
    )
    private var name: String { message.identifier.uuidString.lowercased() }

    init() throws {
        let offer = SandboxProduct.Offer.payUpFront(price: "4.99", for: .init(3, .month), identifier: "winter")
        let products: [SandboxProduct] = [
            .autoRenewable(
                "gold",
                price: "9.99",
                period: Self.month,
                group: "metals",
                level: 1,
                promotionalOffers: [offer]
            ),
            .autoRenewable("silver", price: "4.99", period: Self.month, group: "metals", level: 2),
            .autoRenewable("year", price: "99.99", period: .init(1, .year), group: "metals", level: 2)
                .billedMonthly(price: "9.49"),
            .autoRenewable("daily", price: "0.99", period: Self.month, group: "papers"),
        ]
        store = try SandboxStore(
            products: products,
            clock: clock,
            locale: "en_US",
            signer: HMACReceiptSigner(key: Data("a key of tests".utf8)),
            appAppleIdentifier: 1_234_567
        )
        client = RealtimeClient(ServerView(store), transport: transport, timeout: 0.7)
        store.connect(client)
        for message in [message, other] { try store.addRetentionMessage(message) }
        try store.setDefaultRetentionMessage(other.identifier, of: "gold", locale: "en-US")
        try store.setRetentionURL("https://example.com/message")
        try store.account.buy("gold")
    }

    /// Answers with a text, and returns what the subscriber sees.
    private func page(_ answer: String, status: Int = 200) async throws -> CancellationPage {
        transport.answers(status: status, answer)
        return try await store.account.viewCancellation(inGroup: "metals")
    }

    private func choice(_ kind: String, _ more: String = "") -> String {
        #"{"\#(kind)":{"messageIdentifier":"\#(name)"\#(more)}}"#
    }

    @Test func `The server is asked with a signed payload about the subscription`() async throws {
        await clock.advance(by: 60)
        let page = try await page(choice("message"))
        #expect(page.source == .server && page.message?.header == "Stay" && page.refusal == nil && page.offer == nil)
        let question = try #require(transport.questions.last)
        #expect(question.url.absoluteString == "https://example.com/message" && question.timeout == 0.7)
        let payload = question.payload
        #expect(payload.originalTransactionId.text == "1" && payload.productId.text == "gold")
        #expect(payload.userLocale.text == "en-US" && payload.environment.text == "LocalTesting")
        #expect(payload.appAppleId.number == 1_234_567 && payload.signedDate.number == 1_735_689_660_000)
        #expect(payload.requestIdentifier.text == page.request?.uuidString.lowercased())
        #expect(payload.keys.count == 7)
        let view = ServerView(store)
        #expect(try view.isSound(question.signedPayload))
        store.signatureDefect = .invalidSignature
        _ = try await self.page(choice("message"))
        #expect(try !view.isSound(try #require(transport.questions.last).signedPayload))
    }

    @Test(
        arguments: [
            ("", 200, "the server's answer is no JSON object with a choice"),
            ("[]", 200, "the server's answer is no JSON object with a choice"),
            ("{}", 200, "the server's answer has neither message, alternateProduct nor promotionalOffer"),
            (#"{"message":{}}"#, 200, "the server's answer has no messageIdentifier"),
            (#"{"message":1}"#, 200, "in the server's answer, message is not an object"),
            (
                #"{"message":{"messageIdentifier":"x"}}"#, 200,
                "in the server's answer, message.messageIdentifier is not a UUID"
            ),
            (
                #"{"promotionalOffer":{"promotionalOfferSignatureV2":1}}"#, 200,
                "in the server's answer, promotionalOffer.promotionalOfferSignatureV2 is not a text"
            ),
            (
                #"{"promotionalOffer":{"promotionalOfferSignatureV1":{}}}"#, 200,
                "the server's answer has no promotionalOffer.promotionalOfferSignatureV1.encodedSignature"
            ),
            (
                #"{"message":{},"promotionalOffer":{}}"#, 200,
                "the server's answer has several choices, of which it may have one"
            ),
            (
                #"{"message":{"messageIdentifier":"00000000-0000-4000-8000-000000000009"}}"#, 200,
                "the message 00000000-0000-4000-8000-000000000009 is unknown"
            ),
            (
                #"{"alternateProduct":{"messageIdentifier":"00000000-0000-4000-8000-000000000001"}}"#, 200,
                "the server's answer has no productId in alternateProduct"
            ),
            (
                #"{"promotionalOffer":{"messageIdentifier":"00000000-0000-4000-8000-000000000001"}}"#, 200,
                "promotionalOffer has to have one signature, of version 2 or version 1"
            ),
            ("{}", 500, "the server answered with HTTP status 500"),
            ("{}", 204, "the server answered with HTTP status 204"),
        ]
    )
    func `An answer that makes no sense has a reason, and the default message is shown`(
        answer: String,
        status: Int,
        reason: String
    ) async throws {
        let page = try await page(answer, status: status)
        #expect(page.refusal == reason)
        #expect(page.source == .defaultMessage && page.message?.header == "Anyway" && page.offer == nil)
    }

    @Test func `A server that does not answer in time, or cannot be reached, has a reason`() async throws {
        transport.answers { _ in (.timedOut, nil, Data()) }
        let late = try await store.account.viewCancellation(inGroup: "metals")
        #expect(late.refusal == "the server did not answer within 700 ms" && late.source == .defaultMessage)
        transport.answers { _ in (.socketIssue, nil, Data()) }
        let gone = try await store.account.viewCancellation(inGroup: "metals")
        #expect(gone.refusal == "the server cannot be asked: SOCKET_ISSUE")
    }

    @Test func `Only an approved message is shown`() async throws {
        try store.reviewRetentionUpload(message.identifier, .pending)
        let page = try await page(choice("message"))
        #expect(page.refusal == "the message \(name) is PENDING, not APPROVED" && page.message?.header == "Anyway")
        let image = RetentionImage(width: 3840, height: 160)
        try store.addRetentionImage(image)
        var pictured = RetentionMessage(header: "A picture", body: "")
        pictured.image = .init(identifier: image.identifier, alternativeText: "")
        try store.addRetentionMessage(pictured)
        let identifier = pictured.identifier.uuidString.lowercased()
        let message = #"{"message":{"messageIdentifier":"\#(identifier)"}}"#
        #expect(try await self.page(message).message?.header == "A picture")
        let alternate = #"{"alternateProduct":{"messageIdentifier":"\#(identifier)","productId":"silver"}}"#
        let refused = try await self.page(alternate).refusal
        #expect(refused == "the message \(identifier) has an image, which only a message without an offer may have")
        try store.reviewRetentionUpload(image.identifier, .rejected)
        let picture = image.identifier.uuidString.lowercased()
        let unseen = try await self.page(message).refusal
        #expect(unseen == "the message \(identifier) has the image \(picture), which is not APPROVED")
    }

    @Test func `Another product of the group is offered, and accepted`() async throws {
        let page = try await page(choice("alternateProduct", #","productId":"silver""#))
        #expect(page.source == .server && page.offer == .product("silver"))
        try store.account.accept(page)
        #expect(store.account.subscription(inGroup: "metals")?.renewsAs == "silver")
        let plan = #","productId":"silver","billingPlanType":"BILLED_UPFRONT""#
        #expect(try await self.page(choice("alternateProduct", plan)).offer == .product("silver"))
        for (product, reason) in [
            ("daily", "daily is not in the subscription's group, \"metals\""),
            ("unknown", "unknown is not in the subscription's group, \"metals\""),
        ] {
            let refused = try await self.page(choice("alternateProduct", #","productId":"\#(product)""#))
            #expect(refused.refusal == reason && refused.offer == nil && refused.source == .defaultMessage)
        }
        for (plan, reason) in [
            ("MONTHLY", "silver is not sold in monthly payments: it is no year with such a plan"),
            ("WEEKLY", "alternateProduct has the billing plan WEEKLY, which does not exist"),
        ] {
            let more = #","productId":"silver","billingPlanType":"\#(plan)""#
            let refused = try await self.page(choice("alternateProduct", more))
            #expect(refused.refusal == reason && refused.offer == nil)
        }
        try store.setAvailability(.withdrawn, of: "silver")
        #expect(try await self.page(choice("alternateProduct", #","productId":"silver""#)).refusal != nil)
    }

    @Test func `A year in monthly payments is offered, and bought under that plan`() async throws {
        let plan = #","productId":"year","billingPlanType":"MONTHLY""#
        let page = try await page(choice("alternateProduct", plan))
        #expect(page.refusal == nil && page.offer == .product("year"))
        try store.account.accept(page)
        await clock.advance(by: 32 * 86_400)
        let subscription = try #require(try store.account.signedSubscriptions(inGroup: "metals").first)
        let payload = subscription.transaction.payload
        #expect(payload.productId == "year" && payload.billingPlanType == .monthly && payload.price == 9490)
    }

    @Test func `A promotional offer of version 2 is verified, offered and accepted`() async throws {
        let jws = try store.compactJWS(for: .promotionalOffer("winter"), of: "gold")
        let page = try await page(choice("promotionalOffer", #","promotionalOfferSignatureV2":"\#(jws)""#))
        #expect(page.refusal == nil && page.offer == .promotionalOffer("winter", productIdentifier: "gold"))
        try store.account.accept(page)
        #expect(store.account.subscription(inGroup: "metals")?.waitingOffer?.identifier == "winter")
        // The nonce has been used.
        let again = try await self.page(choice("promotionalOffer", #","promotionalOfferSignatureV2":"\#(jws)""#))
        #expect(again.refusal?.contains("nonce") == true && again.offer == nil)
        #expect(throws: (any Error).self) { try store.account.accept(page) }
    }

    @Test func `A promotional offer that nobody signed, or that does not exist, is not offered`() async throws {
        func refusal(_ jws: String) async throws -> String? {
            try await page(choice("promotionalOffer", #","promotionalOfferSignatureV2":"\#(jws)""#)).refusal
        }
        let sentence = "promotionalOfferSignatureV2 is no JWS with the claims of a promotional offer"
        #expect(try await refusal("x") == sentence)
        #expect(try await refusal(store.compactJWS(for: .introductoryOffer(isAllowed: true), of: "gold")) == sentence)
        let jws = try store.compactJWS(for: .promotionalOffer("winter"), of: "gold")
        let forged = jws.dropLast(8) + "AAAAAAAA"
        #expect(try await refusal(String(forged))?.contains("was not signed with the key") == true)
        let unknown = try store.compactJWS(for: .promotionalOffer("summer"), of: "gold")
        #expect(try await refusal(unknown)?.contains("summer") == true)
        await clock.advance(by: 25 * 3600)
        #expect(try await refusal(jws)?.contains("24 hours") == true)
    }

    @Test func `A promotional offer of version 1 is verified, offered and accepted`() async throws {
        let token = "11111111-0000-4000-8000-000000000000"
        let offer = try store.signedOffer("winter", for: "gold", applicationUsername: token)
        func answer(_ signature: String) -> String {
            choice(
                "promotionalOffer",
                #","promotionalOfferSignatureV1":{"encodedSignature":"\#(signature)","productId":"gold","nonce":""#
                    + "\(offer.nonce.uuidString.lowercased())\",\"timestamp\":\(offer.timestamp),\"keyId\":\""
                    + "\(offer.keyIdentifier)\",\"offerIdentifier\":\"winter\",\"appAccountToken\":\"\(token)\"}"
            )
        }
        let forged = try await page(answer(Data(repeating: 0, count: 32).base64EncodedString()))
        #expect(forged.refusal?.contains("does not match") == true)
        let page = try await page(answer(offer.signature))
        #expect(page.refusal == nil && page.offer == .promotionalOffer("winter", productIdentifier: "gold"))
        try store.account.accept(page)
        #expect(store.account.subscription(inGroup: "metals")?.waitingOffer?.identifier == "winter")
        let missing = try await self.page(choice("promotionalOffer", #","promotionalOfferSignatureV1":{}"#))
        let member = "promotionalOffer.promotionalOfferSignatureV1.encodedSignature"
        #expect(missing.refusal == "the server's answer has no \(member)")
    }

    @Test(
        arguments: [
            (.infinity, 86_400), (.nan, 0.001), (1e17, 86_400), (-1, 0.001), (0.5, 0.5),
        ] as [(TimeInterval, TimeInterval)]
    )
    func `The time of an answer is a millisecond to a day`(seconds: TimeInterval, limit: TimeInterval) {
        client.timeout = seconds
        #expect(client.timeout == limit)
        #expect(RealtimeClient(ServerView(store), transport: transport, timeout: seconds).timeout == limit)
    }

    @Test(arguments: [false, true])
    func `A subscriber who cancels while the server thinks has no page`(hasExpired: Bool) throws {
        transport.hold()
        let shown = Locked<Result<CancellationPage, any Error>?>(nil)
        store.account.viewCancellation(inGroup: "metals") { page in shown.withLock { $0 = page } }
        #expect(shown.withLock { $0 } == nil)
        if hasExpired {
            try store.account.expireSubscription(inGroup: "metals")
            transport.release()
            #expect(throws: SandboxError(.notSubscribed(group: "metals"))) { try shown.withLock { $0 }?.get() }
        } else {
            try store.account.setAutoRenew(false, inGroup: "metals")
            transport.release()
            #expect(throws: RetentionError.alreadyCanceled(group: "metals")) { try shown.withLock { $0 }?.get() }
        }
    }
}

extension ServerView {
    /// Whether the store's signer has signed a JWS.
    fileprivate func isSound(_ jws: String) throws -> Bool {
        (try? store.payloadSigner.payload(of: jws) { _ in nil }) != nil
    }
}
