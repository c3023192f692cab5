import Foundation
import StoreCore
import Testing

/// JWS for a device.
@Suite struct DevicePayloadTests {
    private let market: Market
    private let app: App
    private var store: SandboxStore { market.store }

    init() throws { (market, app) = try Market.withApp() }

    @Test func `A device has the transactions of the account that is signed in`() throws {
        app.buy("gold.monthly")
        let tablet = try store.addDevice("tablet", signedInTo: store.account)
        #expect(try tablet.signedTransactions.map(\.payload.transactionId) == ["1"])
        #expect(try tablet.signedTransaction("1").payload.productId == "gold.monthly")
        #expect(try tablet.signedSubscriptions(inGroup: "metals").count == 1)
        #expect(try tablet.signedAppTransaction.payload == store.account.signedAppTransaction.payload)
        try tablet.signIn(to: try store.addAccount("bob"))
        #expect(try tablet.signedTransactions.isEmpty && tablet.signedSubscriptions(inGroup: "metals").isEmpty)
        #expect(throws: SandboxError(.unknownTransaction("1"))) { try tablet.signedTransaction("1") }
        #expect(try tablet.signedAppTransaction.payload != store.account.signedAppTransaction.payload)
        try tablet.signOut()
        #expect(try tablet.signedTransactions.isEmpty)
        #expect(try tablet.signedAppTransaction.payload.appTransactionId == nil)
    }

    @Test func `The app's own purchase in JSON`() throws {
        let signed = try store.device.signedAppTransaction
        let json = """
            {"appTransactionId":"\(try #require(signed.payload.appTransactionId))","applicationVersion":"1.0",\
            "bundleId":"com.example.app","originalApplicationVersion":"1.0","originalPurchaseDate":1375340400000,\
            "receiptCreationDate":1735689600000,"receiptType":"LocalTesting"}
            """
        #expect(String(decoding: signed.payload.json, as: UTF8.self) == json)
        #expect(try AppTransactionPayload(verifying: signed.jws, signer: store.payloadSigner) == signed.payload)
    }

    @Test func `An account has one identifier in an app, in every store`() throws {
        let identifier = try #require(try store.device.signedAppTransaction.payload.appTransactionId)
        #expect(identifier.count <= 18 && UInt64(identifier) != nil)
        #expect(try Market().store.account.signedAppTransaction.payload.appTransactionId == identifier)
        let other = try SandboxStore(bundleIdentifier: "com.example.other")
        #expect(try other.account.signedAppTransaction.payload.appTransactionId != identifier)
        #expect(try store.addAccount("bob").signedAppTransaction.payload.appTransactionId != identifier)
    }

    @Test func `The app's Apple ID is in what production signs, and nowhere else`() throws {
        for environment in ["Production", "Sandbox", "Xcode"] {
            let signer = CountingSealer(environment: environment)
            let store = try SandboxStore(products: Market.products, signer: signer, appAppleIdentifier: 1_234_567_890)
            try store.account.buy("sword")
            let expected: Int64? = environment == "Production" ? 1_234_567_890 : nil
            #expect(try store.account.signedAppTransaction.payload.appAppleId == expected)
            #expect(try store.device.signedAppTransaction.payload.appAppleId == expected)
            #expect(try store.verify(appReceipt: #require(store.appReceipt)).appAppleIdentifier == expected)
            let receipt = try #require(store.receipt(forTransaction: "1"))
            #expect(store.verify(receipt: receipt).fields["app_item_id"] == expected.map { String($0) })
            let json = String(decoding: try store.signedTransaction("1").payload.json, as: UTF8.self)
            #expect(!json.contains("appAppleId"))
        }
    }

    @Test func `A store that is given no Apple ID names none, unless its file is synchronized`() throws {
        let signer = CountingSealer(environment: "Production")
        #expect(try SandboxStore(signer: signer).account.signedAppTransaction.payload.appAppleId == nil)
        let file = #"{"version": {"major": 4, "minor": 0}, "settings": {"_applicationInternalID": "1441423628"}}"#
        let configuration = try StoreConfiguration(data: Data(file.utf8), name: "Shop.storekit")
        let synchronized = try SandboxStore(configuration, signer: signer)
        #expect(try synchronized.account.signedAppTransaction.payload.appAppleId == 1_441_423_628)
        let other = try SandboxStore(configuration, signer: signer, appAppleIdentifier: 7)
        #expect(try other.account.signedAppTransaction.payload.appAppleId == 7)
    }

    @Test func `The built-in signer ties nothing to a device`() throws {
        app.buy("sword")
        let payload = try store.device.signedTransaction("1").payload
        #expect(payload.deviceVerification == nil && payload.deviceVerificationNonce == nil)
        #expect(try payload == store.signedTransaction("1").payload)
    }

    @Test func `A signer with a hash ties each payload to its device, and none to a server`() throws {
        let store = try SandboxStore(products: Market.products, signer: HashingSigner())
        try store.account.buy("gold.monthly")
        let device = store.device
        let subscription = try #require(try device.signedSubscriptions(inGroup: "metals").first)
        let payloads: [any JWSPayload] = [
            try device.signedTransaction("1").payload, subscription.renewal.payload,
            try device.signedAppTransaction.payload,
        ]
        for payload in payloads {
            let nonce = try #require(payload.deviceVerificationNonce)
            #expect(UUID(uuidString: nonce) != nil && nonce == nonce.lowercased())
            let hash = try #require(payload.deviceVerification.flatMap { Data(base64Encoded: $0) })
            let identifier = device.identifierForVendor.uuidString.lowercased()
            #expect(String(decoding: hash, as: UTF8.self) == "hash of \(nonce)\(identifier)")
        }
        #expect(Set(payloads.map(\.deviceVerificationNonce)).count == 3)
        #expect(subscription.transaction.payload == (payloads[0] as? TransactionPayload))
        #expect(try store.signedTransaction("1").payload.deviceVerification == nil)
        #expect(try store.account.signedAppTransaction.payload.deviceVerification == nil)
        #expect(payloads.map(\.environmentName) == ["Xcode", "Xcode", "Xcode"])
        #expect(try device.signedAppTransaction.payload.requestDate == PayloadDate(store.clock.now))
    }

    @Test func `A store whose signer signs no payloads signs them with a key of its own`() throws {
        #expect(store.payloadSigner is HMACReceiptSigner)
        let signer = HMACReceiptSigner()
        let jws = try SandboxStore(products: Market.products, signer: signer).account.signedAppTransaction.jws
        #expect(throws: Never.self) { try AppTransactionPayload(verifying: jws, signer: signer) }
        let plain = try SandboxStore(signer: PlainSigner())
        #expect(plain.payloadSigner is HMACReceiptSigner)
        #expect(try plain.account.signedAppTransaction.payload.receiptType == "LocalTesting")
    }
}

private struct PlainSigner: IdleSigner { var environment: String { "Sandbox" } }

/// Signs nothing, and has a hash that shows what it is of.
private struct HashingSigner: IdleSigner, PayloadSigner {
    var environment: String { "Xcode" }
    func jws(of payload: Data) -> String { "" }
    func payload(of jws: String, signingDate: (Data) -> Date?) -> Data { Data() }
    func deviceVerification(of text: Data) -> Data? { Data("hash of ".utf8) + text }
}
