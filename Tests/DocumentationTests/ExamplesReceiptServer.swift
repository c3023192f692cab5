// The code of the article "Testing your receipt server" and of StoreCrypto's doc comments, compiled and run.
import Foundation
import StoreCore
import StoreCrypto
import Testing

@Suite(.enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice)))
struct ReceiptServerArticle {
    @Test func `A server's library accepts what a store signed, and refuses what a forger did`() throws {
        let files = FileManager.default.temporaryDirectory.appending(path: "ReceiptServerArticle-\(UUID())")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: files) }
        try sell(files: files, observer: SendsReceipts { _ in })
        let receipt = try Data(contentsOf: files.appending(path: "receipt.der"))
        #expect(try purchases(in: receipt, rootFile: files.appending(path: "root.der")) == ["castle"])
    }

    @Test func `A signer is made in three lines`() throws {
        let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]
        let clock = ManualClock()
        let authority = try CertificateAuthority(now: clock.now)
        let signer = try AppStoreSigner(authority, clock: clock)
        let store = try SandboxStore(products: products, clock: clock, signer: signer)
        #expect(store.payloadSigner.environment == "Sandbox")
    }

    @Test func `An authority signs any payload, and a verifier needs its root`() throws {
        let store = try SandboxStore()
        let payload = Data("{}".utf8)
        let authority = try CertificateAuthority(now: store.clock.now)
        let jws = try authority.jwsSigner(at: store.clock.now).sign(payload)
        #expect(try read(jws, authority, signingDate: store.clock.now) == payload)
    }

    private func read(_ jws: String, _ authority: CertificateAuthority, signingDate: Date) throws -> Data {
        let verifier = try JWSVerifier(root: authority.rootCertificate)
        let payload = try verifier.verify(jws, asOf: signingDate)
        return payload
    }
}

private func sell(files: URL, observer: any SKPaymentTransactionObserver) throws {
    let clock = ManualClock()
    let authority = try CertificateAuthority(now: clock.now)
    let signer = try AppStoreSigner(authority, clock: clock)
    let store = try SandboxStore(products: [.nonConsumable("castle", price: "9.99")], clock: clock, signer: signer)
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    queue.add(observer)
    queue.add(SKPayment(productIdentifier: "castle"))

    let jws = try store.signedTransaction("1").jws
    let receipt = try #require(store.device.appReceipt)
    try authority.rootCertificate.write(to: files.appending(path: "root.der"))
    try Data(jws.utf8).write(to: files.appending(path: "transaction.jws"))
    try receipt.write(to: files.appending(path: "receipt.der"))

    let forger = try AppStoreSigner(authority, clock: clock, defect: .wrongKey)
    let forged = try forger.jws(of: store.signedTransaction("1").payload.json)
    #expect(throws: VerificationFailure.wrongSignature) {
        try signer.payload(of: forged, signingDate: { _ in clock.now })
    }
}

private func purchases(in data: Data, rootFile: URL) throws -> [String] {
    let verifier = try AppStoreVerifier(root: Data(contentsOf: rootFile))
    if case .appReceipt(let receipt, environment: "ProductionSandbox") = try verifier.verify(data, at: .now) {
        return receipt.purchases.map(\.productIdentifier)
    }
    return []
}
