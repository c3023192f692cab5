import StoreCore
import StoreCrypto
import StoreKit
import Testing

@Suite struct VerificationTests {
    @Test(arguments: SignatureDefect.allCases)
    func `A transaction the store signs wrongly is unverified, for its reason`(defect: SignatureDefect) async throws {
        let shop = try Shop(.inline)
        shop.store.signatureDefect = defect
        guard case .success(.unverified(let transaction, let error)) = try await shop.buy("coins")
        else { return _ = Issue.record("it was verified") }
        #expect(transaction.productID == "coins")
        #expect("\(error)".contains(defect.rawValue))
        shop.store.signatureDefect = nil
        let next = try #require(await shop.run { await Transaction.unfinished.first(1) }.first)
        #expect(throws: Never.self) { try next.payloadValue }
    }

    @Test(.enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice)))
    func `With libcrypto each defect is one that a verifier finds`() async throws {
        let clock = ManualClock()
        let authority = try CertificateAuthority(now: clock.now)
        let signer = try AppStoreSigner(authority, clock: clock)
        let store = try SandboxStore(products: Shop.products, clock: clock, signer: signer)
        let context = StoreContext(backend: store, delivery: .inline, log: .silent)
        _ = try store.account.buy("coins")
        for defect in SignatureDefect.allCases {
            store.signatureDefect = defect
            let result = try #require(await context.run { await Transaction.unfinished.first(1) }.first)
            #expect(throws: VerificationResult<Transaction>.VerificationError.self) { try result.payloadValue }
            // The text alone, as it would arrive from elsewhere.
            let (jws, device) = (result.jwsRepresentation, store.device.identifierForVendor)
            let found = Result {
                try SignedValue<TransactionPayload>(jws: jws, verifier: signer, device: device).defect
            }
            switch defect {
            case .invalidEncoding, .missingRequiredProperties:
                // There is no payload to read.
                #expect(throws: (any Error).self) { try found.get() }
            case .invalidDeviceVerification, .invalidCertificateChain, .revokedCertificate, .invalidSignature:
                #expect(try found.get() == defect)
            }
        }
        store.signatureDefect = nil
        let right = try #require(await context.run { await Transaction.unfinished.first(1) }.first)
        let text = Data(right.jwsRepresentation.utf8)
        #expect(throws: Never.self) {
            try AppStoreVerifier(root: authority.rootCertificate).verify(text, at: clock.now)
        }
        #expect(right.payloadData == right.unsafePayloadValue.jsonRepresentation && right.signatureData.count == 64)
    }

    @Test(.enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice)))
    func `A transaction whose signature is read long after it was bought is valid at its date`() async throws {
        let clock = ManualClock()
        let signer = try AppStoreSigner(CertificateAuthority(now: clock.now), clock: clock)
        let store = try SandboxStore(products: Shop.products, clock: clock, signer: signer)
        _ = try store.account.buy("coins")
        let context = StoreContext(backend: store, delivery: .inline, log: .silent)
        let early = try #require(await context.run { await Transaction.unfinished.first(1) }.first)
        let clockOnward = 900.0 * 86_400
        store.advance(by: clockOnward)
        let late = try #require(await context.run { await Transaction.unfinished.first(1) }.first)
        for result in [late, early, late] {
            let read = try SignedValue<TransactionPayload>(jws: result.jwsRepresentation, verifier: signer)
            #expect(read.defect == nil && read.payload.signedDate.date == result.unsafePayloadValue.signedDate)
        }
        #expect(late.unsafePayloadValue.signedDate == early.unsafePayloadValue.signedDate + clockOnward)
    }

    @Test func `A payload from another environment than the verifier's is unverified`() throws {
        let payload = TransactionPayload.sample()
        #expect(try payload.signed(verifiedIn: payload.environment).defect == nil)
        #expect(try payload.signed(verifiedIn: "Production").defect == .invalidSignature)
    }

    @Test func `The app's own purchase is read and verified`() async throws {
        let shop = try Shop(.inline)
        let app = try await shop.run { try await AppTransaction.shared }.payloadValue
        #expect(app.bundleID == "com.example.app")
        try shop.store.device.signOut()
        await #expect(throws: StoreKitError.self) { try await shop.run { try await AppStore.sync() } }
    }
}
