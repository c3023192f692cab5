import StoreCore
import StoreCrypto
import StoreKitTest
import TestSupport
import Testing

/// What a session signs: in Xcode's form, in the environment `Xcode`.
@MainActor @Suite struct EnvironmentTests {
    @Test func `A8: All that Store Kit 2 reads is of the environment xcode`() async throws {
        let app = try TestApp()
        try await app.context.run {
            #expect(try await app.session.buyProduct(identifier: "pro.monthly").environment == .xcode)
            let entitlement = try #require(await Transaction.latest(for: "pro.monthly")).payloadValue
            #expect(entitlement.environment == .xcode)
            #expect(try await AppTransaction.shared.payloadValue.environment == .xcode)
            let status = try #require(await entitlement.subscriptionStatus)
            #expect(try status.transaction.payloadValue.environment == .xcode)
            #expect(try status.renewalInfo.payloadValue.environment == .xcode)
            #expect(status.renewalInfo.jwsRepresentation.split(separator: ".").count == 3)
        }
        #expect(app.session.store.payloadSigner.environment == "Xcode")
        app.session.clearTransactions()
        try await app.context.run {
            let bought = try await app.session.buyProduct(identifier: "sword")
            #expect(bought.environment == .xcode)
        }
    }

    @Test func `A8: Receipts of Store Kit 1 name the environment Xcode`() throws {
        let app = try TestApp()
        app.shop.finishes = false
        app.buy("castle")
        let receipt = try #require(app.queue.transactions.first?.transactionReceipt)
        #expect(String(decoding: receipt, as: UTF8.self).contains("\"environment\" = \"Xcode\";"))
        #expect(app.session.store.verify(receipt: receipt).status == .valid)
        #expect(try #require(app.session.store.appReceipt).firstRange(of: Data([12, 5] + "Xcode".utf8)) != nil)
    }

    @Test(.libcrypto) func `A8: JWS have Xcode's one certificate`() async throws {
        let app = try TestApp()
        let jws = try app.session.store.signedTransaction(app.bought("castle")).jws
        var header = String(jws.prefix { $0 != "." }).replacing("-", with: "+").replacing("_", with: "/")
        header += String(repeating: "=", count: (4 - header.count % 4) % 4)
        let text = String(decoding: try #require(Data(base64Encoded: header)), as: UTF8.self)
        #expect(text.contains(#""kid":"Apple_Xcode_Key","typ":"JWT","x5c":["#))
    }

    @Test(.libcrypto, .openSSL)
    func `A15: An app that trusts the session's certificate itself accepts its receipt`() async throws {
        let app = try TestApp()
        let receipt = try app.receipt(after: "castle")
        let certificate = try #require(app.session.publicCertificate)
        let tool = try OpenSSL()
        try tool.write(receipt, to: "receipt")
        try tool.write(certificate, to: "certificate.cer")
        #expect(try tool.run("x509 -inform DER -in certificate.cer -out certificate.pem").isSuccess)
        let names = try tool.run("x509 -in certificate.pem -noout -subject -issuer -nameopt RFC2253").output
        #expect(names == "subject=CN=StoreKit,O=StoreKit\nissuer=CN=StoreKit,O=StoreKit\n")
        let certificates = try tool.run("pkcs7 -inform DER -in receipt -print_certs").output
        #expect(certificates.matches(of: /BEGIN CERTIFICATE/).count == 1)
        // -nochain is PKCS7_NOCHAIN.
        let verify = "smime -verify -inform DER -in receipt -nochain -CAfile"
        #expect(try tool.run("\(verify) certificate.pem").isSuccess)
        let stranger = try CertificateAuthority(now: .now).pkcs7Signer(at: .now, form: .xcode)
        try tool.write(stranger.certificates[0], to: "other.cer")
        #expect(try tool.run("x509 -inform DER -in other.cer -out other.pem").isSuccess)
        #expect(try !tool.run("\(verify) other.pem").isSuccess)
    }

    @Test(.libcrypto)
    func `A15: Whatever the date, one certificate of the process verifies the receipts of all its sessions`() throws {
        let certificate = try #require(try TestApp().session.publicCertificate)
        for year in [0, 30, 100, 500] as [Double] {
            let clock = ManualClock(startingAt: Date(timeIntervalSince1970: year * 365 * 86_400))
            let app = try TestApp(clock: clock)
            #expect(app.session.publicCertificate == certificate)
            let receipt = try app.receipt(after: "castle")
            let content = try AppStoreVerifier(root: certificate).verify(receipt, at: clock.now)
            guard case .appReceipt(let read, environment: "Xcode") = content else {
                Issue.record("the receipt is \(content)")
                continue
            }
            #expect(read.purchases.map(\.productIdentifier) == ["castle"])
            // And what is bought centuries later.
            clock.advance(by: 200 * 365 * 86_400)
            let later = try AppStoreVerifier(root: certificate).verify(app.receipt(after: "sword"), at: clock.now)
            #expect(later != content)
        }
    }

    @Test(.libcrypto) func `A session with a signer of the test's own has that one's certificate`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("StoreKitTest-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let clock = ManualClock()
        func session(_ signer: any ReceiptSigner, in context: StoreContext) throws -> SKTestSession {
            try context.run { try SKTestSession(contentsOf: TestApp.url("Shop"), clock: clock, signer: signer) }
        }
        func signer(_ form: SigningForm = .xcode) throws -> AppStoreSigner {
            try AppStoreSigner(CertificateAuthority(folder: folder, now: clock.now), clock: clock, form: form)
        }
        let (first, second) = (StoreContext(log: .silent), StoreContext(log: .silent))
        let saved = try #require(try session(signer(), in: first).publicCertificate)
        #expect(try session(signer(), in: second).publicCertificate == saved)
        #expect(try saved != TestApp().session.publicCertificate)
        // The App Store's form is verified with a root.
        let appStore = try session(signer(.appStore), in: second)
        #expect(appStore.publicCertificate == nil && appStore.store.payloadSigner.environment == "Sandbox")
        // The same signer has the same store.
        let mine = try signer()
        let store = try session(mine, in: first).store
        #expect(try session(mine, in: first).store === store && session(signer(), in: first).store !== store)
    }

    @Test(.libcrypto) func `A17c: An empty receipt expires in 4001; a free week has an introductory price`() throws {
        let app = try TestApp("Offers")
        app.session.store.device.refreshReceipt(ReceiptProperties()) { #expect($0 == nil) }
        let empty = try app.session.store.verify(appReceipt: #require(app.session.store.appReceipt))
        #expect(empty.purchases.isEmpty && !empty.opaqueValue.isEmpty && empty.expirationDate == .distantFuture)
        let week = try app.session.store.verify(appReceipt: app.receipt(after: "pro.monthly")).purchases.first
        #expect(week?.subscription?.isInIntroductoryOfferPeriod == true && week?.subscription?.isTrialPeriod == false)
        #expect(week?.subscription?.webOrderLineItemIdentifier == nil)
    }
}

extension TestApp {
    fileprivate func bought(_ product: String) throws -> String {
        buy(product)
        return try #require(shop.identifiers.last)
    }

    fileprivate func receipt(after product: String) throws -> Data {
        buy(product)
        return try #require(session.store.appReceipt)
    }
}
