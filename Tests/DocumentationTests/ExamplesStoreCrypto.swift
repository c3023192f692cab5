// The code of StoreCrypto's doc comments, compiled and run; that of the article "Testing your receipt server" is the program
// Sell in .ci/client, but for its part about production.
import Foundation
import StoreCore
import StoreCrypto
import Testing

@Suite(.enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice)))
struct StoreCryptoExamples {
    @Test func `A verifier that has the root in a file reads an app receipt`() throws {
        let clock = ManualClock()
        let authority = try CertificateAuthority(now: clock.now)
        let signer = try AppStoreSigner(authority, clock: clock)
        let store = try SandboxStore(products: [.nonConsumable("castle", price: "9.99")], clock: clock, signer: signer)
        try store.account.buy("castle")
        let receipt = try #require(store.appReceipt)

        let rootFile = FileManager.default.temporaryDirectory.appending(path: "StoreCryptoExamples-\(UUID())")
        try authority.rootCertificate.write(to: rootFile)
        defer { try? FileManager.default.removeItem(at: rootFile) }
        #expect(try purchases(in: receipt, rootFile: rootFile) == ["castle"])
    }

    @Test func `A signer is made in three lines`() throws {
        let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]
        let clock = ManualClock()
        let authority = try CertificateAuthority(now: clock.now)
        let signer = try AppStoreSigner(authority, clock: clock)
        let store = try SandboxStore(products: products, clock: clock, signer: signer)
        #expect(store.payloadSigner.environment == "Sandbox")
    }

    @Test func `A store in production names the app's Apple ID`() throws {
        let clock = ManualClock()
        let signer = try AppStoreSigner(CertificateAuthority(now: clock.now), clock: clock, environment: .production)
        let store = try SandboxStore(clock: clock, signer: signer, appAppleIdentifier: 1_234_567_890)
        let purchase = try store.account.signedAppTransaction
        #expect(purchase.payload.appAppleId == 1_234_567_890)
    }

    @Test func `An authority signs any payload, and a verifier needs its root`() throws {
        let store = try SandboxStore()
        let payload = Data("{}".utf8)
        let authority = try CertificateAuthority(now: store.clock.now)
        let jws = try AppStoreSigner(authority, clock: store.clock).jws(of: payload)
        #expect(try read(jws, authority, signingDate: store.clock.now) == payload)
    }

    private func read(_ jws: String, _ authority: CertificateAuthority, signingDate: Date) throws -> Data {
        let verifier = try JWSVerifier(root: authority.rootCertificate)
        let payload = try verifier.verify(jws, asOf: signingDate)
        return payload
    }
}

private func purchases(in data: Data, rootFile: URL) throws -> [String] {
    let verifier = try AppStoreVerifier(root: Data(contentsOf: rootFile))
    if case .appReceipt(let receipt, environment: "ProductionSandbox") = try verifier.verify(data, at: .now) {
        return receipt.purchases.map(\.productIdentifier)
    }
    return []
}
