import Foundation
import StoreCore
import TestSupport
import Testing

@Suite(.promptly) struct `Receipt signers` {
    @Test func `B129: the built-in one vouches for local testing and no other store`() {
        #expect(ReceiptSamples.signer.environment == "LocalTesting")
    }

    @Test func `The same key verifies in another process, a fresh one nowhere else`() throws {
        let again = HMACReceiptSigner(key: Data("the key of this store".utf8))
        let receipt = try ReceiptSamples.coins.data(signedBy: ReceiptSamples.signer)
        #expect(ReceiptVerification(of: receipt, signer: again, at: ReceiptSamples.now).status == .valid)
        let fresh = HMACReceiptSigner()
        #expect(ReceiptVerification(of: receipt, signer: fresh, at: ReceiptSamples.now).status == .notAuthentic)
        let own = try ReceiptSamples.coins.data(signedBy: fresh)
        #expect(ReceiptVerification(of: own, signer: fresh, at: ReceiptSamples.now).status == .valid)
    }

    @Test func `Copies of a signer that has signed nothing yet have one key, and two signers two`() {
        let message = Data("message".utf8)
        let signer = HMACReceiptSigner()
        let copy = signer
        #expect(copy.isValid(signature: signer.sign(message), for: message))
        #expect(!HMACReceiptSigner().isValid(signature: signer.sign(message), for: message))
        let offers = HMACOfferSigner()
        let offersCopy = offers
        #expect(offersCopy.isValid(signature: offers.sign(message), for: message))
        #expect(!HMACOfferSigner().isValid(signature: offers.sign(message), for: message))
    }

    @Test func `Copies of a signer that many threads use at once for the first time have one key`() async {
        let message = Data("message".utf8)
        for _ in 1...20 {
            let signer = HMACReceiptSigner()
            let signatures = Locked<Set<Data>>([])
            await onThreads(4) { _ in
                let signature = signer.sign(message)
                signatures.withLock { _ = $0.insert(signature) }
            }
            #expect(signatures.withLock { $0.count } == 1)
        }
    }

    @Test func `A signature of another length or with one more byte is not valid`() {
        let message = Data("message".utf8)
        let signature = ReceiptSamples.signer.sign(message)
        #expect(signature.count == ReceiptSamples.signer.signatureLength)
        #expect(ReceiptSamples.signer.isValid(signature: signature, for: message))
        for other in [Data(), signature.dropLast(), signature + [0], Data(count: 32)] {
            #expect(!ReceiptSamples.signer.isValid(signature: other, for: message))
        }
    }

    @Test func `Neither printing nor dumping a signer shows its key`() {
        let signer = HMACReceiptSigner(key: Data("secret".utf8))
        var dumped = ""
        dump(signer, to: &dumped)
        #expect("\(signer) \(String(reflecting: signer))" == "HMACReceiptSigner HMACReceiptSigner")
        #expect(dumped == "- HMACReceiptSigner\n")
    }

    @Test func `An empty key stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = HMACReceiptSigner(key: Data())
        }
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("at least one byte"))
    }

    @Test func `A signer with a certificate sends it along and trusts no other`() throws {
        let mine = CertificateSigner(certificate: Data("my certificate".utf8))
        let receipt = try ReceiptSamples.coins.data(signedBy: mine)
        #expect(ReceiptVerification(of: receipt, signer: mine, at: ReceiptSamples.now).status == .valid)
        let other = CertificateSigner(certificate: Data("no certificate".utf8))
        #expect(ReceiptVerification(of: receipt, signer: other, at: ReceiptSamples.now).status == .notAuthentic)
    }

    @Test func `A signer may trust certificates besides its own`() throws {
        let old = CertificateSigner(certificate: Data("last year's".utf8))
        let new = CertificateSigner(certificate: Data("this year's".utf8), trusted: [old.certificate])
        let receipt = try ReceiptSamples.coins.data(signedBy: old)
        #expect(ReceiptVerification(of: receipt, signer: new, at: ReceiptSamples.now).status == .valid)
    }

    @Test func `B191: receipts of a test store and of production do not pass for each other`() throws {
        let sandbox = CertificateSigner(environment: "Sandbox")
        let production = CertificateSigner(environment: "Production")
        let fromSandbox = try ReceiptSamples.coins.data(signedBy: sandbox)
        let fromProduction = try ReceiptSamples.coins.data(signedBy: production)
        #expect(!String(decoding: fromProduction, as: UTF8.self).contains("environment"))

        func status(_ receipt: Data, _ signer: some ReceiptSigner) -> Int {
            ReceiptVerification(of: receipt, signer: signer, at: ReceiptSamples.now).status.rawValue
        }
        #expect(status(fromSandbox, sandbox) == 0)
        #expect(status(fromProduction, production) == 0)
        #expect(status(fromSandbox, production) == 21007)
        #expect(status(fromProduction, sandbox) == 21008)
        #expect(status(fromSandbox, ReceiptSamples.signer) == 21003)
    }

    @Test func `A signer that cannot sign, or not as long as it promised, makes no receipt`() {
        #expect(throws: CertificateSigner.Locked.self) {
            try ReceiptSamples.coins.data(signedBy: CertificateSigner(signs: nil))
        }
        #expect(throws: ReceiptError.self) {
            try ReceiptSamples.coins.data(signedBy: CertificateSigner(signs: 7))
        }
    }
}

/// Stands for a signer with a certificate; its signature is the message's length.
private struct CertificateSigner: ReceiptSigner {
    struct Locked: Error {}

    var environment = "Sandbox"
    var certificate = Data("certificate".utf8)
    var trusted: [Data] = []
    var signs: Int? = 8

    var signatureVersion: UInt8 { 3 }
    var signatureLength: Int { 8 }

    func sign(_ message: Data) throws -> Data {
        guard let length = signs else { throw Locked() }
        return withUnsafeBytes(of: message.count) { Data($0) }.prefix(length)
    }

    func isValid(signature: Data, for message: Data) -> Bool {
        signature == withUnsafeBytes(of: message.count) { Data($0) }
    }

    func isValid(signature: Data, certificate: Data, for message: Data) -> Bool {
        (trusted + [self.certificate]).contains(certificate) && isValid(signature: signature, for: message)
    }
}
