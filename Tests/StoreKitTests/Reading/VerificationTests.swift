import StoreCore
import StoreCrypto
import StoreKit
import Testing

@Suite struct VerificationTests {
    @Test(arguments: SignatureDefect.allCases)
    func `A transaction that the store signs wrongly is unverified, for its reason`(defect: SignatureDefect)
        async throws
    {
        let shop = try Shop(.inline)
        shop.store.signatureDefect = defect
        guard case .success(.unverified(let transaction, let error)) = try await shop.buy("coins") else {
            Issue.record("it was verified")
            return
        }
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
            let verifier = try AppStoreVerifier(
                root: authority.rootCertificate,
                revocationList: authority.revocationList(at: clock.now)
            )
            let signed = Data(result.jwsRepresentation.utf8)
            switch defect {
            case .invalidDeviceVerification, .missingRequiredProperties: break
            case .invalidEncoding, .invalidCertificateChain, .revokedCertificate, .invalidSignature:
                #expect(throws: VerificationFailure.self) { try verifier.verify(signed, at: clock.now) }
            }
        }
        store.signatureDefect = nil
        let right = try #require(await context.run { await Transaction.unfinished.first(1) }.first)
        let text = Data(right.jwsRepresentation.utf8)
        #expect(throws: Never.self) {
            try AppStoreVerifier(root: authority.rootCertificate).verify(text, at: clock.now)
        }
        #expect(right.payloadData == right.unsafePayloadValue.jsonRepresentation)
        #expect(right.signatureData.count == 64)
    }

    @Test func `The app's own purchase is read and verified`() async throws {
        let shop = try Shop(.inline)
        let app = try await shop.run { try await AppTransaction.shared }.payloadValue
        #expect(app.bundleID == "com.example.app")
        try shop.store.device.signOut()
        await #expect(throws: StoreKitError.self) { try await shop.run { try await AppStore.sync() } }
    }
}
