import Foundation
import StoreCore
import StoreCrypto
import Testing

/// The signatures of a store like the App Store: their forms, and how they are refused.
@Suite(.libcrypto) struct AppStoreSignerTests {
    private let clock = ManualClock(startingAt: .start)
    private let authority: CertificateAuthority
    private let payload = Data(#"{"transactionId":"1","signedDate":1748736000000}"#.utf8)

    init() throws { authority = try CertificateAuthority(now: .start) }

    private func refusal(_ data: Data, _ signer: any ReceiptSigner) -> ReceiptRefusal? {
        #expect(throws: ReceiptRefusal.self) { try AppReceipt(verifying: data, signer: signer) }
    }

    @Test(arguments: ReceiptDigest.allCases)
    func `A receipt is sealed with either digest, the same each time`(digest: ReceiptDigest) throws {
        let signer = try AppStoreSigner(authority, clock: clock, digest: digest)
        let data = try AppReceipt.empty.data(signedBy: signer)
        #expect(try AppReceipt.empty.data(signedBy: signer) == data)
        #expect(try AppReceipt(verifying: data, signer: signer) == .empty)
        let sha1 = Data([6, 5, 0x2b, 0x0e, 3, 2, 0x1a])
        #expect((data.firstRange(of: sha1) != nil) == (digest == .sha1))
        let other = try AppStoreSigner(authority, clock: clock, digest: digest == .sha1 ? .sha256 : .sha1)
        #expect(try AppReceipt(verifying: data, signer: other) == .empty)
    }

    @Test func `Environments have their names, and are told apart`() throws {
        let sandbox = try AppStoreSigner(authority, clock: clock)
        let production = try AppStoreSigner(authority, clock: clock, environment: .production)
        let xcode = try AppStoreSigner(authority, clock: clock, form: .xcode)
        #expect([sandbox, production, xcode].map(\.environment) == ["Sandbox", "Production", "Xcode"])
        let names = [sandbox, production, xcode].map(\.appReceiptEnvironment)
        #expect(names == ["ProductionSandbox", "Production", "Xcode"])
        for isVolumePurchase in [false, true] {
            var receipt = AppReceipt.empty
            receipt.isVolumePurchase = isVolumePurchase
            for signer in [sandbox, production, xcode] {
                var expected = receipt
                if signer === xcode { expected.expirationDate = .distantFuture }
                #expect(try AppReceipt(verifying: receipt.data(signedBy: signer), signer: signer) == expected)
            }
            #expect(refusal(try receipt.data(signedBy: sandbox), production)?.status == .sandboxReceiptInProduction)
            #expect(refusal(try receipt.data(signedBy: production), sandbox)?.status == .productionReceiptInSandbox)
        }
    }

    @Test func `Xcode's form is BER with one certificate, and is read by its own signer alone`() throws {
        let xcode = try AppStoreSigner(authority, clock: clock, form: .xcode)
        let data = try AppReceipt.empty.data(signedBy: xcode)
        #expect(data.starts(with: [0x30, 0x80]))
        #expect(try AppReceipt(verifying: data, signer: xcode) == .emptyInXcode)
        #expect(try xcode.payload(of: xcode.jws(of: payload)) { _ in .start } == payload)
        let sandbox = try AppStoreSigner(authority, clock: clock)
        #expect(refusal(data, sandbox)?.reason == VerificationFailure.wrongAlgorithm.description)
        let refused = refusal(try AppReceipt.empty.data(signedBy: sandbox), xcode)
        #expect(refused?.reason == VerificationFailure.chainLength(3).description)
    }

    @Test func `No bit of a receipt may be another`() async throws {
        let signer = try AppStoreSigner(authority, clock: clock)
        let data = try AppReceipt.empty.data(signedBy: signer)
        let isAccepted: @Sendable (Data) -> Bool = { (try? AppReceipt(verifying: $0, signer: signer)) != nil }
        #expect(await BitFlips.unnoticed(in: data, isAccepted: isAccepted) == [])
        #expect(!isAccepted(data + [0]) && !isAccepted(data.dropLast()))
    }

    @Test func `No bit of Xcode's receipt may be another either`() async throws {
        let signer = try AppStoreSigner(authority, clock: clock, form: .xcode)
        let data = try AppReceipt.empty.data(signedBy: signer)
        #expect(await BitFlips.unnoticed(in: data) { (try? AppReceipt(verifying: $0, signer: signer)) != nil } == [])
    }

    @Test(arguments: DefectTests.reasons)
    func `A chain's defect is refused for its reason`(defect: DefectTests.Defect, reason: VerificationFailure) throws {
        let wrong = try AppStoreSigner(authority, clock: clock, defect: defect)
        let judge = try AppStoreSigner(authority, clock: clock)
        let receipt = try AppReceipt.empty.data(signedBy: wrong)
        for signer in [wrong, judge] {
            let refusal = refusal(receipt, signer)
            #expect(refusal?.status == .notAuthentic && refusal?.reason == reason.description)
            #expect(throws: reason) { try signer.payload(of: wrong.jws(of: payload)) { _ in .start } }
        }
        let verifier =
            try AppStoreVerifier(root: authority.rootCertificate, revocationList: authority.revocationList(at: .start))
        #expect(throws: reason) { try verifier.verify(receipt, at: .start) }
        #expect(throws: reason) { try verifier.verify(Data(wrong.jws(of: payload).utf8), at: .start) }
    }

    @Test(arguments: CertificateAuthority.Defect.allCases)
    func `A transaction receipt has its one certificate's defects`(defect: CertificateAuthority.Defect) throws {
        let reasons: [CertificateAuthority.Defect: VerificationFailure] = [
            .expiredLeaf: .expired(.leaf), .missingLeafMarker: .missingMarker(.leaf), .foreignRoot: .untrustedChain,
            .wrongKey: .wrongSignature,
        ]
        let wrong = try AppStoreSigner(authority, clock: clock, transactionReceiptVersion: .rsa1024, defect: defect)
        let data = try TransactionReceipt.gold.data(signedBy: wrong)
        let verifier = try AppStoreVerifier(root: authority.rootCertificate)
        let judge = try AppStoreSigner(authority, clock: clock, transactionReceiptVersion: .rsa1024)
        let status = ReceiptVerification(of: data, signer: judge, at: .start).status
        if let reason = reasons[defect] {
            #expect(throws: reason) { try verifier.verify(data, at: .start) }
            #expect(status == .notAuthentic)
        } else {
            #expect(throws: Never.self) { try verifier.verify(data, at: .start) }
            #expect(status == .valid)
        }
    }

    @Test func `Xcode's form, without a chain, has no defect`() {
        for defect in CertificateAuthority.Defect.allCases {
            #expect(throws: CryptoError.self) {
                try AppStoreSigner(authority, clock: clock, form: .xcode, defect: defect)
            }
        }
    }

    @Test func `A receipt with the wrong end, or of another authority, is refused with its status`() throws {
        let signer = try AppStoreSigner(authority, clock: clock)
        let other = try AppStoreSigner(CertificateAuthority(now: .start), clock: clock)
        let foreign = refusal(try AppReceipt.empty.data(signedBy: other), signer)
        #expect(foreign?.status == .notAuthentic && foreign?.reason == VerificationFailure.foreignRoot.description)
        #expect(refusal(try AppReceipt.empty.data(signedBy: HMACReceiptSigner()), signer)?.status == .malformed)
        for data in [Data(), Data([0x30, 0x80]), Data("receipt".utf8)] {
            #expect(refusal(data, signer)?.status == .malformed)
        }
        var receipt = AppReceipt.empty
        receipt.creationDate = .start - .day
        let early = refusal(try receipt.data(signedBy: signer), signer)
        #expect(early?.reason == VerificationFailure.notYetValid(.leaf).description)
    }

    @Test func `Threads may share a signer, which makes each leaf once`() async throws {
        let signer = try AppStoreSigner(authority, clock: clock)
        #expect(try await inTasks(16) { _ in try AppReceipt.empty.data(signedBy: signer) }.count == 1)
    }
}

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
        #expect(try TransactionPayload(verifying: transaction.jws, signer: store.payloadSigner) == transaction.payload)
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
